import { shortPlace } from '../addresses.js'
import type { Contract } from '../contract/contract.js'
import { print } from '../node-process.js'
import { cutListings, explainResources, ineffectiveParameters } from '../resources/explain.js'
import type { Explanation } from '../resources/explanation.js'
import type { Service } from '../resources/load-service.js'
import type { Resources } from '../resources/resources.js'
import { suggestJoins } from '../resources/suggest-joins.js'
import { safeLine } from '../safe-text.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'

type ExplainedOperation = Explanation['operations'][number]

export async function runExplain(parsed: ParsedArguments): Promise<void> {
  const service = await loadSpecFlag(parsed)
  const explanation = explainResources(service)
  if (parsed.isGiven('json')) print(`${JSON.stringify(explanation, null, 2)}\n`)
  else print(formatExplanation(service, explanation))
}

function formatExplanation({ contract, resources }: Service, { operations }: Explanation): string {
  const rows = operations.map((operation) => [
    operation.operation,
    `${operation.method} ${operation.path}`,
    operation.role,
    operation.reason ?? describeCollection(resources, operation),
    positionOf(contract, operation),
  ])
  const filled = operations.flatMap(({ filled: names = [], operation }) =>
    names.length > 0 ? [`${operation}: ${names.join(', ')}`] : [],
  )
  const scoped = operations.flatMap(({ operation, scopes = [] }) =>
    scopes.length > 0 ? [`${operation}: ${scopes.join(', ')}`] : [],
  )
  const invalid = contract.operations.flatMap((operation) =>
    contract
      .findInvalidExamples(operation)
      .map(({ message, name, status }) => `${operation.id} ${status} ${name}: ${message}`),
  )
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length > 0 ? ['', title, ...lines.map((line) => `  ${line}`)] : []
  return [
    ...formatTable([['operation', 'request', 'does', 'why', 'where'], ...rows]),
    ...section('Filled from examples of the contract, or generated where it has none:', filled),
    ...section('Examples that do not fit their schemas, so they are not sent:', invalid),
    ...section('Validated, but not acted on:', ineffectiveParameters(operations)),
    ...section('Lists that are cut, without a parameter for the rest:', cutListings(operations)),
    ...section('Scopes that are not checked:', scoped),
    ...section(
      'Paths with the same record schema. This OpenAPI Overlay (--overlay) would join them:',
      formatJoins(resources),
    ),
    ...(contract.basePaths.length > 0 ? ['', `Also served under: ${contract.basePaths.join(', ')}`] : []),
    '',
  ]
    .map(safeLine)
    .join('\n')
}

/** The file and line of an operation, which may be in the overlay. */
const positionOf = ({ file }: Contract, operation: ExplainedOperation): string =>
  `${shortPlace(operation.file ?? file)}:${operation.line}`

function describeCollection({ collections, decisions }: Resources, { operation, role }: ExplainedOperation): string {
  if (role === 'handler') return '--handlers has a function for it'
  const decision = [...decisions.values()].find((each) => each.operation.id === operation)
  if (!decision || decision.role === 'mocked') return ''
  const found = collections.find(({ name }) => name === decision.collection)
  return `collection ${decision.collection}, by ${found?.model.idProperty ?? ''}`
}

function formatJoins(resources: Resources): string[] {
  const actions = suggestJoins(resources).flatMap(({ collection, parents, path }) => {
    const pairs = Object.entries(parents).map(([name, property]) => `${name}: ${property}`)
    const parentsEntry = pairs.length > 0 ? `, parents: { ${pairs.join(', ')} }` : ''
    return [
      `  - target: ${JSON.stringify(`$.paths['${path.replaceAll("'", String.raw`\'`)}']`)}`,
      `    update: { x-double: { collection: ${JSON.stringify(collection)}${parentsEntry} } }`,
    ]
  })
  const head = ['overlay: 1.0.0', 'info: { title: Joined paths, version: 1.0.0 }', 'actions:']
  return actions.length > 0 ? [...head, ...actions] : []
}

function formatTable(rows: readonly (readonly string[])[]): string[] {
  const [header = []] = rows
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
