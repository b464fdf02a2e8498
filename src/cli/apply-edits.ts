/** Writes the edits that `verify` proposes to the overlay of `--apply`. */
import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'

import { readOverlay } from '../contract/overlay/read-overlay.js'
import { isObject } from '../documents/object.js'
import { ProblemsError } from '../documents/problem.js'
import { isSameFile } from '../documents/real-path.js'
import type { Source } from '../documents/source.js'
import { readSource } from '../documents/source.js'
import type { NewOverlayAction } from '../verify/write-overlay.js'
import { writeOverlay } from '../verify/write-overlay.js'
import { checkOutputFile } from './check-flag-paths.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { writeOutputFile } from './write-output-file.js'

/** Checks the file of `--apply`. @throws {UsageError} It cannot be written, or is not an overlay and `--force` is not given. */
export async function checkOverlayFile(parsed: ParsedArguments): Promise<void> {
  const file = await checkOutputFile(parsed, 'apply')
  if (file === undefined) return
  if (!/\.(?:json|ya?ml)$/u.test(file))
    throw new UsageError(`--apply must name a .yaml, .yml or .json file, got "${file}".`)
  await readExisting(file, parsed.isGiven('force'))
}

/** Reads the overlay in a file. @param isReplaced - True if another file is replaced. @returns Undefined: there is none. */
async function readExisting(file: string, isReplaced: boolean): Promise<Source | undefined> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  )
  if (!exists) return undefined
  try {
    const source = await readSource(file)
    readOverlay(source)
    return source
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    if (isReplaced) return undefined
    const why = error.problems[0]?.what ?? ''
    throw new UsageError(`--apply: ${file} exists, and only an overlay is extended: ${why}. Use --force to replace it.`)
  }
}

/**
 * Writes edits to the file of `--apply`: adds them to the overlay that is there, else to a copy of that of `--overlay`, else to a new one. The
 * edits are for the contract after `--overlay`, so its actions come before them.
 *
 * @returns False: the overlay has them already.
 */
export async function applyEdits(
  parsed: ParsedArguments,
  title: string,
  edits: readonly NewOverlayAction[],
): Promise<boolean> {
  const { isGiven, valueOf } = parsed
  const file = valueOf('apply') ?? ''
  const overlay = valueOf('overlay')
  const given = overlay === undefined ? undefined : await readSource(overlay)
  const existing = await readExisting(file, isGiven('force'))
  const isGivenOne = overlay !== undefined && (await isSameFile(file, overlay))
  const isOther = existing !== undefined && !isGivenOne
  // The actions of --overlay were applied, so an equal edit is needed again. It is not known when another overlay was applied.
  const added = isOther
    ? [...actionsIn(given), ...edits].filter(
        (one) => !actionsIn(existing).some((other) => isDeepStrictEqual(one, other)),
      )
    : edits
  if (added.length === 0) return false
  await writeOutputFile(parsed, 'apply', writeOverlay(file, title, added, existing ?? given))
  return true
}

function actionsIn(source: Source | undefined): readonly unknown[] {
  const actions = isObject(source?.value) ? source.value['actions'] : undefined
  return Array.isArray(actions) ? (actions as unknown[]) : []
}
