/** The types of fixture documents. */

/** A caller in a fixture. */
export interface FixtureCaller {
  /** The caller's token, or `*` for every token that no other caller has. Missing if there are `tokens`. */
  readonly token?: string
  /** The caller's tokens by security scheme of the contract. */
  readonly tokens?: Readonly<Record<string, string>>
}

/** A record in a fixture: the properties of the contract's schema, and keys of the double that begin with `$`. */
export interface FixtureRecord {
  /** The names of the callers with access. Default: every caller. */
  readonly $access?: readonly string[]
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
  readonly $seed?: { readonly fixture: string | null; readonly sha256: string } | undefined
  /** The highest number in an id, by collection, if it is not that of a record. The double writes it. */
  readonly $lastIds?: Readonly<Record<string, number>> | undefined
}

/** A fixture: the callers, and the records of each collection by its name, in the order of listings. */
export interface FixtureDocument extends FixtureMetadata {
  readonly [collection: string]: readonly FixtureRecord[] | FixtureMetadata[keyof FixtureMetadata]
}

/** A state as a fixture document. */
export type StateDocument = FixtureMetadata & { readonly [collection: string]: readonly FixtureRecord[] }
