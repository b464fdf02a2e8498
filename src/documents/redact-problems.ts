/** Redacts secrets in problems. A problem may quote any part of a document. */
import { createRedactor } from '../redaction.js'
import type { Problem } from './problem.js'

/** Replaces secrets in the paths, descriptions and hints of problems. */
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
