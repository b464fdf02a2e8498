/** The judges of a process: one for each spec, and one for each change of it. */
import { statSync } from 'node:fs'

import type { Judge } from './independent-validator.js'
import { createJudge } from './independent-validator.js'

const judges = new Map<string, Judge>()

/** The judge by a spec as it now is. @param spec - Default: that of the package. */
export function judgeOf(spec?: string): Judge {
  const key = spec === undefined ? '' : `${spec} ${statSync(spec).mtimeMs}`
  const judge = judges.get(key) ?? createJudge(spec)
  judges.set(key, judge)
  return judge
}
