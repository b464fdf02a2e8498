/** Collects findings about a spec in two classes: problems, which are illegal, and diagnostics, which are legal but not enforced. */
import type { Segment } from '../../documents/pointer.js'
import { toPointer } from '../../documents/pointer.js'
import type { Problem } from '../../documents/problem.js'
import { problemAt } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { Cursor } from '../references.js'

/** Reports a finding at a path of the spec. Ignores repetitions. */
type ReportFinding = (at: Cursor | readonly Segment[], what: string, hint: string, target?: 'key' | 'value') => void

/** The findings about a spec, and the functions that report them. */
export interface Findings {
  /** Reports an illegal part, or an invalid schema. The spec is refused. */
  readonly refuse: ReportFinding
  /** Reports a legal part that is not enforced. The spec is served, and the user is informed. */
  readonly note: ReportFinding
  readonly problems: readonly Problem[]
  readonly diagnostics: readonly Problem[]
}

/** Creates an empty collection of findings about a spec. */
export function createFindings(source: Source): Findings {
  const [refuse, problems] = createList(source)
  const [note, diagnostics] = createList(source)
  return { refuse, note, problems, diagnostics }
}

function createList(source: Source): [ReportFinding, Problem[]] {
  const found: Problem[] = []
  const known = new Set<string>()
  const report: ReportFinding = (at, what, hint, target) => {
    const path = at instanceof Cursor ? at.path : at
    const key = `${toPointer(path)} ${what}`
    if (!known.has(key)) found.push(problemAt(source, path, what, hint, target))
    known.add(key)
  }
  return [report, found]
}
