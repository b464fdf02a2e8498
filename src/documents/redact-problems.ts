/** Keeps the tokens of a document out of what is said of it: a problem may quote any part of it. */
import { createRedactor } from '../redaction.js'
import type { Problem } from './problem.js'

/** Takes secrets out of problems. */
export function redactProblems(problems: readonly Problem[], secrets: readonly string[]): Problem[] {
  const redact = createRedactor(secrets)
  return problems.map((problem) => ({
    ...problem,
    ...(problem.path && {
      path: problem.path.map((segment) => (typeof segment === 'string' ? redact(segment) : segment)),
    }),
    what: redact(problem.what),
    hint: redact(problem.hint),
  }))
}
