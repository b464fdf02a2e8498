/** Random sequences of requests and resets, in two sandboxes. */
import fc from 'fast-check'

import type { Facts, Json } from './contracts.js'
import type { ModelRequest } from './model.js'
import { fixtures, requests } from './requests-and-fixtures.js'

/** A step in one of the two sandboxes. */
interface Step {
  readonly sandbox: 0 | 1
  readonly send: ModelRequest
  /** False: the request has the credential of no caller. */
  readonly isKnown: boolean
  /** A reset before the request. `same`: to the fixture of the last reset. A number: to a fixture file. A list: to an inline fixture. */
  readonly reset: 'same' | 0 | 1 | readonly Json[] | undefined
}

/** A sequence of steps. Each sandbox starts with the fixture of a file. */
export interface Sequence {
  readonly files: readonly [readonly Json[], readonly Json[]]
  readonly steps: readonly Step[]
}

/** Creates random sequences. @param most - The maximum number of steps. */
export function sequences(facts: Facts, most: number): fc.Arbitrary<Sequence> {
  const reset = fc.oneof(fc.constantFrom<'same' | 0 | 1>('same', 0, 1), fixtures(facts))
  const frame = fc.record({
    sandbox: fc.constantFrom<0 | 1>(0, 1),
    isKnown: fc.integer({ min: 0, max: 19 }).map((chance) => chance > 0),
    reset: fc.option(reset, { nil: undefined, freq: 19 }).map((each) => each),
  })
  return fc
    .record({
      files: fc.tuple(fixtures(facts), fixtures(facts)),
      sent: requests(facts, most),
      frames: fc.array(frame, { minLength: most, maxLength: most }),
    })
    .map(({ files, frames, sent }) => ({
      files,
      steps: sent.flatMap((send, index): Step[] => {
        const frameOf = frames[index]
        return frameOf ? [{ send, ...frameOf }] : []
      }),
    }))
}
