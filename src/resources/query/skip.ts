/** The rule for `offset` and `skip`, which leave out records at the start. */
import { scalarType } from '../schema/scalar-type.js'
import type { QueryRule } from './query-action-types.js'

const names: ReadonlySet<string> = new Set(['offset', 'skip'])

/** Skips a number of records. */
export const skip: QueryRule = ({ name, schema }) =>
  names.has(name) && scalarType(schema) === 'integer'
    ? {
        acts: 'skips',
        stage: 'skip',
        apply: (selection, value) => ({ ...selection, skip: selection.skip + Math.max(0, Number(value)) }),
      }
    : undefined
