/** What is found in a spec, in two classes: what is illegal, and what is legal but not enforced. */
import type { Segment } from '../../documents/pointer.js'
import { toPointer } from '../../documents/pointer.js'
import type { Problem } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { Cursor } from '../references.js'

/** Reports a finding at a place of the spec, once. */
type Report = (at: Cursor | readonly Segment[], what: string, hint: string, point?: 'key' | 'value') => void

/** Collects what is found in a spec. */
export interface Findings {
  /** Reports what is illegal, or cannot be compiled: the spec is refused. */
  readonly refuse: Report
  /** Reports what is legal but not enforced: the spec is served, and the user is told. */
  readonly note: Report
  readonly problems: readonly Problem[]
  readonly diagnostics: readonly Problem[]
}

/** Makes an empty collection of findings about a spec. */
export function createFindings(source: Source): Findings {
  const [refuse, problems] = createList(source)
  const [note, diagnostics] = createList(source)
  return { refuse, note, problems, diagnostics }
}

function createList(source: Source): [Report, Problem[]] {
  const found: Problem[] = []
  const known = new Set<string>()
  const report: Report = (at, what, hint, point) => {
    const path = at instanceof Cursor ? at.path : at
    const key = `${toPointer(path)} ${what}`
    if (!known.has(key)) found.push(problemAt(source, path, what, hint, point))
    known.add(key)
  }
  return [report, found]
}

/** Says what is wrong at a place of a spec. The position is looked up when it is first read, since that takes long in a large JSON file. */
export function problemAt(
  { file, locate }: Pick<Source, 'file' | 'locate'>,
  path: readonly Segment[],
  what: string,
  hint: string,
  point: 'key' | 'value' = 'value',
): Problem {
  let position: Problem['position']
  return {
    file,
    get position() {
      return (position ??= locate(path, point))
    },
    path,
    what,
    hint,
  }
}
