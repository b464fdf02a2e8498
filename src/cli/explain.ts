/** `insights-double explain`: prints the role of each operation, and the reason. */
import { relative } from 'node:path'

import type { Contract } from '../contract/contract.js'
import { loadService } from '../contract/load-service.js'
import { addFlagToHints } from '../documents/problem.js'
import { print } from '../node-process.js'
import { doubleOptions } from '../options.js'
import type { Explanation } from '../resources/explain.js'
import { explainResources, notActedOn } from '../resources/explain.js'
import type { ParsedArguments } from './parse-arguments.js'
import { escapeControlCharacters } from './request-log.js'

type ExplainedOperation = Explanation['operations'][number]

/** Prints the explanation as a table, or as JSON. */
export async function runExplain({ isGiven, valueOf }: ParsedArguments): Promise<void> {
  const spec = valueOf('spec') ?? doubleOptions.spec.default
  const { contract, resources } = await loadService(spec).catch((error: unknown) => {
    throw addFlagToHints('--spec', error)
  })
  const explanation = explainResources(resources)
  if (isGiven('json')) print(`${JSON.stringify(explanation, null, 2)}\n`)
  else print(formatExplanation(contract, explanation))
}

/** Formats the table of operations, the filled properties and the parameters without effect. */
function formatExplanation({ file }: Contract, { collections, operations }: Explanation): string {
  const rows = operations.map((operation) => [
    operation.operation,
    `${operation.method} ${operation.path}`,
    operation.role,
    operation.reason ?? describeCollection(collections, operation),
    `${relative('', file)}:${operation.line}`,
  ])
  const filled = operations.flatMap(({ filled: names = [], operation }) =>
    names.length > 0 ? [`  ${operation}: ${names.join(', ')}`] : [],
  )
  const unused = notActedOn(operations)
  const scoped = operations.flatMap(({ operation, scopes = [] }) =>
    scopes.length > 0 ? [`  ${operation}: ${scopes.join(', ')}`] : [],
  )
  return [
    ...formatTable([['operation', 'request', 'does', 'why', 'where'], ...rows]),
    ...(filled.length > 0 ? ['', 'Filled from examples of the contract:', ...filled] : []),
    ...(unused.length > 0 ? ['', 'Validated, but not acted on:', ...unused.map((line) => `  ${line}`)] : []),
    ...(scoped.length > 0 ? ['', 'Scopes that are not checked:', ...scoped] : []),
    '',
  ]
    .map(escapeControlCharacters)
    .join('\n')
}

function describeCollection(collections: Explanation['collections'], { path }: ExplainedOperation): string {
  const found = collections.find((each) => [each.path, each.itemPath].includes(path))
  return found ? `collection ${found.name}, by ${found.id}` : ''
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
