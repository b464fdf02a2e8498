/// <reference lib="esnext.disposable" preserve="true" />
/** The public API. It stays compatible within a major version; nothing else does. */
export { connectDouble, startDouble, type StartedDouble } from './client/start-or-connect.js'
export type { DoubleHandle, Health, SandboxHandle } from './client/handle.js'
export { RequestsNotSeenError } from './client/requests-not-seen-error.js'
export type {
  FixtureSummary,
  RecordCounts,
  RequestListing,
  ResetSummary,
  SandboxSummary,
  StateDiff,
  VariationSummary,
} from './control/document-types.js'
export type { FixtureCaller, FixtureDocument, FixtureRecord, StateDocument } from './control/document-types.js'
export type { Violation } from './contract/violation.js'
export { type Problem, ProblemsError } from './documents/problem.js'
export { DoubleError, type ErrorCode } from './http-errors.js'
export type { HandlerFile, HandlerRequest, HandlerResult, Handlers, NextResult } from './handler-types.js'
export type { ConnectOptions, DoubleOptions, SandboxOptions, WaitOptions } from './options.js'
export type { Explanation } from './resources/explanation.js'
export type { CollectionDiff } from './resources/records/diff-types.js'
export type { CoverageRow } from './sandbox/coverage-row.js'
export type { Fault, FaultMatch, FaultRequest } from './sandbox/faults.js'
export type { JournalEntry, JournalFilter, RequestSummary } from './sandbox/journal-entry.js'
