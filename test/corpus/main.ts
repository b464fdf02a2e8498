/**
 * Serves public contracts with an empty and with a sampled fixture, sends requests to every operation, and validates every response
 * without the double's code.
 *
 * With `pages=1`, opens every view of the console and of the API reference in a browser instead.
 *
 * Usage: npm run test:corpus -- [only=petstore] [long=1] [further=1] [pages=1]
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { Explanation } from 'insights-double'

import { startBrowser } from '../helpers/browser.js'
import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { print, printTable, wordArgument } from '../helpers/scripts.js'
import { commandFile, spawnDouble } from '../helpers/spawn-double.js'
import { Client, type Findings, tokenFor } from './generic-client.js'
import { isNode, type Node, readIndependentSpec } from './independent-spec.js'
import { type CorpusDocument, documents, fetchDocument, furtherDocuments } from './public-contracts.js'
import { useConsoleAndHandle } from './use-console-and-handle.js'

const only = wordArgument('only')
const isLong = wordArgument('long') === '1'
const isPages = wordArgument('pages') === '1'
const isFurther = wordArgument('further') === '1'
const listed = isFurther ? furtherDocuments : documents
const chosen =
  only === undefined
    ? listed.filter(({ isLong: long = false }) => isLong || !long)
    : [...documents, ...furtherDocuments].filter(({ name }) => name === only)

const rows: string[][] = []
await using folder = await createTemporaryFolder()
for (const document of chosen) {
  print(`\n${document.name}`)
  const row = await examine(document).catch((error: unknown) => [
    `fails: ${String(error).split('\n')[1] ?? String(error)}`,
  ])
  rows.push([document.name, ...row])
}
const columns = 'document operations collections stateful expected requests refused problems s MB'.split(' ')
printTable([columns, ...rows])

async function examine(document: CorpusDocument): Promise<string[]> {
  const file = await fetchDocument(document)
  const overlay =
    document.overlay === undefined ? [] : ['--overlay', join(packageFolder, 'test/corpus', document.overlay)]
  const source = ['--spec', file, ...overlay]
  const spec = readIndependentSpec(file)
  const stdout = await outputOf(['explain', '--json', ...source]).catch((error: unknown) => {
    throw new Error(`Refused\n${isNode(error) ? String(error['stderr']).split('\n')[0] : String(error)}`)
  })
  const explanation = JSON.parse(stdout) as Explanation
  sayReasons(explanation)
  const callers = callersOf(explanation)
  const empty = join(folder.path, 'empty.json')
  await writeFile(empty, JSON.stringify({ $callers: callers }))
  const words = ['--memory', ...source, '--log', 'silent', '--fixture']
  await using double = await spawnDouble({ words: [...words, empty] })
  const client = new Client(double.url, spec, explanation)
  await (isPages ? client.sendAll() : sendRequests(client))
  await sampleRecords(double.url, source, callers, explanation)
  const findings = isPages ? await findInPages(double.url, explanation) : await sendRequests(client)
  const { problems, refused, requests } = findings
  for (const problem of new Set(problems)) print(`  ! ${problem.slice(0, 300)}`)
  if (problems.length > 0) process.exitCode = 1
  const memory = await readFile(`/proc/${double.pid}/status`, 'utf8').catch(() => '')
  const { collections, operations } = explanation
  const stateful = operations.filter(({ role }) => role !== 'mocked').length
  const mb = Math.round(Number(/VmHWM:\s+(\d+)/u.exec(memory)?.[1]) / 1000)
  const counts = [operations.length, collections.length, stateful, document.expected ?? '', requests, refused]
  return [...counts, problems.length, (double.readyMs / 1000).toFixed(1), mb].map(String)
}

async function outputOf(words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [commandFile, ...words], { maxBuffer: 2 ** 28 })).stdout
}

async function sendRequests(client: Client): Promise<Findings> {
  await client.sendAll()
  await client.cycleAll()
  return client.findings
}

async function findInPages(url: string, explanation: Explanation): Promise<Findings> {
  const { browser, stop, why } = await startBrowser()
  if (!browser) throw new Error(`No browser can start: ${why}`)
  try {
    return { problems: [...(await useConsoleAndHandle(browser, url, explanation))], refused: 0, requests: 0 }
  } finally {
    await stop()
  }
}

/** Prints how many operations are mocked for each reason. */
function sayReasons({ operations }: Explanation): void {
  const counts = new Map<string, number>()
  for (const { reason } of operations) {
    const general = reason
      ?.replaceAll(/\/\S*/gu, '/…')
      .replaceAll(/\b(?:parameter|requires|lacks) [\w.[\]-]+/gu, (words) => words.replace(/ .*/u, ' …'))
    if (general !== undefined) counts.set(general, (counts.get(general) ?? 0) + 1)
  }
  for (const [reason, count] of [...counts].toSorted((one, other) => other[1] - one[1]))
    print(`  ${count} mocked: ${reason}`)
}

function callersOf({ securitySchemes }: Explanation): object {
  if (securitySchemes.length === 0) return {}
  const tokens = securitySchemes.map(({ kind, name }) => [name, kind === 'bearer' ? tokenFor(kind) : 'ada:token'])
  return { ada: { tokens: Object.fromEntries(tokens) as Node } }
}

/** Puts three sampled records into each collection. Skips a collection if the double refuses them. */
async function sampleRecords(
  url: string,
  source: readonly string[],
  callers: object,
  { collections }: Explanation,
): Promise<void> {
  const schema = JSON.parse(await outputOf(['schema', ...source])) as Node
  const { sample } = await import('openapi-sampler')
  const accepted: Record<string, unknown> = {}
  const put = (records: object): Promise<Response> => {
    const body = JSON.stringify({ $callers: callers, ...records })
    return fetch(`${url}/__admin/state`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })
  }
  for (const { id, name } of collections) {
    const property = (schema['properties'] as Record<string, Node>)[name]
    const record = sample(property?.['items'] ?? {}, { quiet: true }, schema) as Node
    const { $access: _access, [id]: _id, ...own } = record
    const three = [own, own, own]
    const response = await put({ ...accepted, [name]: three })
    if (response.ok) accepted[name] = three
    else print(`  no records of ${name}: ${(await response.text()).slice(0, 200)}`)
  }
  await put(accepted)
}
