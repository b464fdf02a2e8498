/** Who may call, in a fixture. */
export interface FixtureCaller {
  /** What the caller presents, or `*` for any token that no other caller has. Left out where there are `tokens`. */
  readonly token?: string
  /** What the caller presents, by security scheme of the contract. */
  readonly tokens?: Readonly<Record<string, string>>
}

/** A record in a fixture: the properties that the contract gives it, and what the double knows of it. */
export interface FixtureRecord {
  /** Names of callers. Default: every caller. */
  readonly $access?: readonly string[]
  /** Values of path parameters that are no property of the record. */
  readonly $parents?: Readonly<Record<string, unknown>>
  readonly [property: string]: unknown
}

/** What a fixture holds beside its records. */
interface FixtureHead {
  /** For editors: the schema that this document follows. */
  readonly $schema?: string | undefined
  /** What the fixture is for, in a sentence. */
  readonly $description?: string | undefined
  /** Callers by name. May be left out where no operation is secured. */
  readonly $callers?: Readonly<Record<string, FixtureCaller>> | undefined
  /** What a state was seeded from. The double writes it. */
  readonly $seed?: { readonly fixture: string | null; readonly sha256: string } | undefined
  /** The highest number of an id, by collection, where the records do not tell it. The double writes it. */
  readonly $lastIds?: Readonly<Record<string, number>> | undefined
}

/** A fixture: callers, and the records of each collection of the contract by its name, in the order in which they are listed. */
export interface FixtureDocument extends FixtureHead {
  readonly [collection: string]: readonly FixtureRecord[] | FixtureHead[keyof FixtureHead]
}

/** The state as a fixture document. */
export type StateDocument = FixtureHead & { readonly [collection: string]: readonly FixtureRecord[] }
