import type { CollectionDiff } from '../resources/records/diff-types.js'
import type { JournalEntry } from '../sandbox/journal-entry.js'
import type { TestResult } from '../sandbox/test-result.js'

/** A caller in a fixture. */
export interface FixtureCaller {
  /** The caller's token, or `*` for every token that no other caller has. Missing if there are `tokens`. */
  readonly token?: string
  /** The caller's tokens by security scheme of the contract. */
  readonly tokens?: Readonly<Record<string, string>>
  /** The ids of the caller's own records by collection, for paths such as /me. Default: these paths are mocked. */
  readonly record?: Readonly<Record<string, string | number>>
}

/** A record in a fixture: the properties of the contract's schema, and keys of the double that begin with `$`. */
export interface FixtureRecord {
  /** The names of the callers with access. Default: every caller. */
  readonly $access?: readonly string[]
  /** The id, if no property of the contract is. */
  readonly $id?: string
  /** The values of path parameters that are not properties of the record. */
  readonly $parents?: Readonly<Record<string, unknown>>
  readonly [property: string]: unknown
}

/** The keys of a fixture that are not collections. */
interface FixtureMetadata {
  /** The JSON Schema of the document, for editors. */
  readonly $schema?: string | undefined
  /** The purpose of the fixture, in one sentence. */
  readonly $description?: string | undefined
  /** Callers by name. Optional if no operation is secured. */
  readonly $callers?: Readonly<Record<string, FixtureCaller>> | undefined
  /** The fixture of the last reset, and its hash. The double writes it. */
  readonly $seed?:
    | { readonly fixture?: string | null; readonly records?: number; readonly seed?: number; readonly sha256: string }
    | undefined
  /** The highest number in an id, by collection, if it is not that of a record. The double writes it. */
  readonly $lastIds?: Readonly<Record<string, number>> | undefined
}

/** A fixture: the callers, and the records of each collection by its name, in the order of listings. */
export interface FixtureDocument extends FixtureMetadata {
  /** The records of a collection, or a singleton. */
  readonly [collection: string]: readonly FixtureRecord[] | FixtureRecord | FixtureMetadata[keyof FixtureMetadata]
}

/** A state as a fixture document. */
export type StateDocument = FixtureMetadata & { readonly [collection: string]: readonly FixtureRecord[] }

/** The response body of `GET /__admin/requests`. */
export interface RequestListing {
  /** The matching entries, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** Number of matching entries. */
  readonly matched: number
  /** Number of entries that were dropped since the journal was last cleared. If it is not 0, matching entries may be missing. */
  readonly evicted: number
  /** True if at least `atLeast` entries match. */
  readonly satisfied: boolean
}

/** Number of records by collection. */
export type RecordCounts = Readonly<Record<string, number>>

/** The changes since the last reset or the last replacement of the state. */
export interface StateDiff {
  /** The fixture of that reset. Null: an inline fixture. */
  readonly fixture: string | null
  readonly collections: Readonly<Record<string, CollectionDiff>>
}

/** A fixture in the response body of `GET /__admin/fixtures`. */
export interface FixtureSummary {
  readonly name: string
  readonly description?: string
  /** Number of callers. Missing if the file is invalid. */
  readonly callers?: number
  /** Number of records by collection. Missing if the file is invalid. */
  readonly collections?: RecordCounts
  /** The problems of the file. Missing if it is valid. */
  readonly problems?: readonly string[]
  /** True if the file has problems, and no collection of the contract: it is a fixture of another contract. */
  readonly isForeign?: boolean
}

/** A sandbox in the response bodies of the control plane. */
export interface SandboxSummary {
  readonly name: string
  /** The title of the test that it is for. Missing: none was given. */
  readonly title?: string
  /** The result of that test. Missing: none was given. */
  readonly result?: TestResult
  /** Its base URL. */
  readonly url: string
  /** The fixture of its last reset. Null: an inline fixture. */
  readonly fixture: string | null
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339. It can be read, but not used or changed. Missing: it is not dropped. */
  readonly droppedAt?: string
  /** True if violations are expected. They then do not fail a run. */
  readonly expectViolations: boolean
  /** Number of records by collection. */
  readonly collections: RecordCounts
  /** Number of requests since the journal was last cleared. */
  readonly requests: number
  /** Number of these with violations. */
  readonly violations: number
  /** Time since its last request, milliseconds. */
  readonly idleMs: number
  /** The callers with the tokens that they have in this sandbox only. Only in the response to `uniqueTokens: true`. */
  readonly callers?: Readonly<Record<string, FixtureCaller>>
}

/** The response body of `POST /__admin/reset`. */
export type ResetSummary = Pick<SandboxSummary, 'collections' | 'fixture'>

/** A variation that was or could be applied, in the response body of `GET /__admin/variations`. */
export interface VariationSummary {
  /** Its kind and its place, such as `order listOrders 200` or `date-offset Order.createdAt`. */
  readonly unit: string
  readonly on: boolean
  /** The number of responses that it has varied. */
  readonly applied: number
  /** The place in the contract that allows it. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** True if the contract marks that place as an assumption. */
  readonly isAssumption: boolean
}
