import { access, constants, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { writeDurably } from '../documents/durable-file.js'
import type { DoubleListeners } from '../double/reload.js'
import type { Service } from '../resources/load-service.js'
import { type Evidence, type EvidenceFiles, readEvidence } from '../verify/evidence.js'
import { createEvidenceOf, verifyEvidence } from '../verify/verify.js'
import { checkFolder, refusePath } from './flag-files.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Creates the folder of `--record`. @throws {UsageError} It cannot be written. */
export async function checkEvidenceFolder(folder: string): Promise<void> {
  const refuse = refusePath('record', 'folder that can be written', folder)
  await mkdir(folder, { recursive: true }).catch(refuse)
  await access(folder, constants.W_OK).catch(refuse)
}

/** Replaces the evidence in a folder. Other files stay. */
export async function writeEvidence(folder: string, files: EvidenceFiles): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith('.jsonl') && !files.has(name)) await rm(join(folder, name))
  for (const [name, text] of files) await writeDurably(join(folder, name), [Buffer.from(text)])
}

/** @throws {UsageError} It cannot be read. @throws {RunError} It is no evidence, or not as it was recorded. */
export async function readEvidenceFolder(folder: string, service: Service): Promise<Evidence> {
  await checkFolder('evidence', folder)
  const names = (await readdir(folder)).filter((name) => /\.jsonl?$/u.test(name)).toSorted()
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)
  return readEvidence(new Map(await Promise.all(texts)), folder, service)
}

/** Reads the evidence of `run`, and compares the double with it. */
export async function readEvidenceOf(parsed: ParsedArguments): Promise<DoubleListeners['evidenceOf']> {
  const service = await loadSpecFlag(parsed)
  const evidence = await readEvidenceFolder(parsed.valueOf('evidence') ?? '', service)
  return createEvidenceOf(await verifyEvidence(evidence, service, parsed.options.handlers))
}
