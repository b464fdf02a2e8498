/** The access list of a record in a document. */
import type { Segment } from '../../documents/pointer.js'
import type { ReportProblem } from './document-problem.js'

/** The most names of callers in a hint. */
const maxNamesShown = 50

/** Reads `$access`. Without it, every caller has access. */
export function readRecordAccess(
  value: unknown,
  path: readonly Segment[],
  callers: ReadonlySet<string>,
  report: ReportProblem,
): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) {
    report(path, '$access must be an array', 'list the names of callers, or leave it out for every caller')
    return undefined
  }
  const list = value as readonly unknown[]
  const names = list.filter((name): name is string => typeof name === 'string')
  for (const [position, name] of list.entries()) {
    if (typeof name !== 'string' || !callers.has(name))
      report(
        [...path, position],
        `${JSON.stringify(name)} is not a caller`,
        `use ${[...callers].slice(0, maxNamesShown).join(', ') || 'a name under $callers'}`,
      )
    else if (list.indexOf(name) !== position) report([...path, position], `"${name}" is listed twice`, 'leave one out')
  }
  return Object.freeze(names)
}
