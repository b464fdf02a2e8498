/** The numbers that a generated state is made from. */
export interface GeneratedRecords {
  /** Records of each collection, 0 to 100,000. Examples of the contract may be more; 0: none. */
  readonly records: number
  /** An integer from 0. Another seed gives other records. */
  readonly seed: number
}

/** The numbers that are left out. */
export const defaultRecords: GeneratedRecords = { records: 5, seed: 1 }

export interface Filled {
  readonly collection: string
  readonly count: number
  readonly fromExamples: number
  /** The reason why there are no more records, as a clause. Undefined: there are as many as asked for. */
  readonly problem: string | undefined
}

/** Says why a collection has fewer records than asked for. Empty: it has enough. */
export const describeUnfilled = ({ collection, count, problem }: Filled): readonly string[] => {
  const start = `${collection} starts ${count === 0 ? 'empty' : `with ${count}`}`
  return problem === undefined ? [] : [`${start}: no generated record is valid (${problem})`]
}
