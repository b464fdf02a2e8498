/**
 * The package's face, and a promise: what is exported here keeps its shape within a major version. Nothing else does.
 */
export type { Double, DoubleOptions } from './double.js'
export { createDouble as startDouble } from './double.js'
export { DoubleError } from './errors.js'
export type { ErrorCode } from './errors.js'
export { ProblemsError } from './documents/problem.js'
export type { Problem } from './documents/problem.js'
