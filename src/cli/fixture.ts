import { print, printError } from '../node-process.js'
import { toText } from '../resources/document/write.js'
import { defaultRecords, describeUnfilled } from '../resources/generated/generated-records.js'
import { withOrigin } from '../resources/records/state.js'
import { generateFixture } from '../state/fixtures.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Prints the state that a double of the contract starts with, as a fixture to edit; and to standard error, what it could not make. */
export async function runFixture(parsed: ParsedArguments): Promise<void> {
  const { now, records = defaultRecords.records, seed = defaultRecords.seed } = parsed.options
  const { resources } = await loadSpecFlag(parsed)
  const { generated, state } = await generateFixture(resources, { records, seed }, now)
  for (const line of (generated?.filled ?? []).flatMap(describeUnfilled)) printError(`${line}\n`)
  print(toText(withOrigin(state, undefined)))
}
