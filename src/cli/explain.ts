import { shortPlace } from '../addresses.js'
import { groupBy } from '../documents/object.js'
import { formatProblems } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { listNames } from '../error-message.js'
import { print, printError } from '../node-process.js'
import { fixtureSchema } from '../resources/document/fixture-schema.js'
import { toText } from '../resources/document/write.js'
import { cutListings, explainResources, ineffectiveParameters } from '../resources/explain.js'
import type { ExplainedOperation, Explanation } from '../resources/explanation.js'
import { defaultRecords, describeUnfilled } from '../resources/generated/generated-records.js'
import type { Service } from '../resources/load-service.js'
import { withOrigin } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { findLockProblems, lockFileOf, writeLockText } from '../resources/role-lock.js'
import { findCandidates, suggestOverlay } from '../resources/suggest-joins.js'
import { safeLine } from '../safe-text.js'
import { generateFixture } from '../state/fixtures.js'
import { writeOutputFile } from './flag-files.js'
import { UsageError } from './flags.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Prints the explanation, or an overlay, or writes the lock. @throws {UsageError} Two of these are asked for. */
export async function runExplain(parsed: ParsedArguments): Promise<void> {
  const { isGiven, options } = parsed
  const outputs = (['json', 'lock', 'suggest'] as const).filter(isGiven)
  if (outputs.length > 1)
    throw new UsageError(`${outputs.map((flag) => `--${flag}`).join(' and ')} exclude each other. Give one of them.`)
  const service = await loadSpecFlag(parsed)
  if (isGiven('lock')) return writeLock(parsed, service)
  if (isGiven('suggest')) {
    // With the actions of `--overlay`.
    const { overlay } = options
    const text = await suggestOverlay(service, overlay === undefined ? undefined : await readSource(overlay))
    return text === undefined ? printError('No x-double is known that makes more operations stateful.\n') : print(text)
  }
  const explanation = explainResources(service)
  const changed = formatProblems(await findLockProblems(service, options.lockFile))
  if (!isGiven('json')) return print(formatExplanation(service, explanation, changed))
  print(`${JSON.stringify(explanation, null, 2)}\n`)
  for (const line of changed) printError(`${line}\n`)
}

async function writeLock(parsed: ParsedArguments, service: Service): Promise<void> {
  const { lockFile, spec } = parsed.options
  const file = lockFileOf(service.contract.file, lockFile)
  if (file === undefined || (spec ?? lockFile) === undefined)
    throw new UsageError('A contract from a URL, and that of the package, need a path: name it with --lock-file.')
  await writeOutputFile(parsed, 'lock-file', await writeLockText(service, file), file)
  print(`${safeLine(`${file} has the roles and effects of ${service.contract.operations.length} operations.`)}\n`)
}

function formatExplanation({ contract, resources }: Service, { operations }: Explanation, changed: string[]): string {
  const rows = operations.map((operation) => [
    operation.operation,
    `${operation.method} ${operation.path}`,
    operation.basis === 'inferred' ? `${operation.role} (inferred)` : operation.role,
    operation.reason ?? describeCollection(resources, operation),
    `${shortPlace(operation.file ?? contract.file)}:${operation.line}`,
  ])
  const listed = (key: 'effects' | 'filled' | 'leftOut' | 'neverSent' | 'notStored' | 'scopes'): readonly string[] =>
    saidOnce(
      operations.flatMap(({ [key]: names = [], operation: id }) =>
        names.length > 0 ? [[id, names.join(', ')] as const] : [],
      ),
    )
  const rules = operations.flatMap(({ operation: id, rulesInTexts = [] }) =>
    rulesInTexts.map((rule) => [id, rule] as const),
  )
  const invalid = contract.operations.flatMap((operation) => {
    const found = contract.findInvalidExamples(operation)
    return found.map(({ message, name, status }) => `${operation.id} ${status} ${name}: ${message}`)
  })
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length > 0 ? ['', title, ...lines.map((line) => `  ${line}`)] : []
  return [
    ...formatTable([['operation', 'request', 'does', 'why', 'where'], ...rows]),
    ...section('Filled from examples of the contract, or generated where it has none:', listed('filled')),
    ...section('Not sent, because nothing is known of it:', listed('leftOut')),
    ...section('Done next to the role, because the contract documents it:', listed('effects')),
    ...section('Examples that do not fit their schemas, so they are not sent:', invalid),
    ...section(
      'Properties of the body that are validated, but that no response documents, or that clients cannot change:',
      listed('notStored'),
    ),
    ...section('Validated, but not acted on:', ineffectiveParameters(operations)),
    ...section('Documented errors that the double never sends:', listed('neverSent')),
    ...section(
      'Rules that stand in texts, of which the double checks only what the schemas tell, too:',
      saidOnce(rules),
    ),
    ...section('Lists that are cut, without a parameter for the rest:', cutListings(operations)),
    ...section('Scopes that are not checked:', listed('scopes')),
    ...section('Not as in the lock; explain --lock accepts it:', changed),
    ...(findCandidates(resources).length > 0 ? ['', 'Some paths have the same record schema; see --suggest.'] : []),
    ...(contract.basePaths.length > 0 ? ['', `Also served under: ${contract.basePaths.join(', ')}`] : []),
    '',
  ]
    .map(safeLine)
    .join('\n')
}

/** Writes each text once, with the operations of which it is said. `--json` has all of them. */
const saidOnce = (said: readonly (readonly [operation: string, text: string])[]): readonly string[] =>
  [...groupBy(said, ([, text]) => text)].map(([text, own]) => {
    const names = own.map(([id]) => id)
    return `${listNames(names, 5)}: ${text}`
  })

function describeCollection({ collections, decisions }: Resources, { operation, role }: ExplainedOperation): string {
  if (role === 'handler') return '--handlers has a function for it'
  const decision = [...decisions.values()].find((each) => each.operation.id === operation)
  if (!decision || decision.role === 'mocked') return ''
  const found = collections.find(({ name }) => name === decision.collection)
  return `collection ${decision.collection}, by ${found?.model.idPath.join('.') ?? ''}`
}

function formatTable(rows: readonly (readonly string[])[]): string[] {
  const [header = []] = rows
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    return cells.join('  ').trimEnd()
  })
}

export async function runSchema(parsed: ParsedArguments): Promise<void> {
  const { contract, resources } = await loadSpecFlag(parsed)
  print(`${JSON.stringify(fixtureSchema(resources, contract.title), null, 2)}\n`)
}

/** Prints the state that a double of the contract starts with, as a fixture to edit; and to standard error, what it could not make. */
export async function runFixture(parsed: ParsedArguments): Promise<void> {
  const { now, records = defaultRecords.records, seed = defaultRecords.seed } = parsed.options
  const { resources } = await loadSpecFlag(parsed)
  const { generated, state } = await generateFixture(resources, { records, seed }, now)
  for (const line of (generated?.filled ?? []).flatMap(describeUnfilled)) printError(`${line}\n`)
  print(toText(withOrigin(state, undefined)))
}
