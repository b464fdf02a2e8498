/** The rule for `limit` and its synonyms, which cap a listing. */
import { scalarType } from '../schema/scalar-type.js'
import type { QueryRule } from './query-action-types.js'

const names: ReadonlySet<string> = new Set([
  'limit',
  'pageSize',
  'page_size',
  'page-size',
  'perPage',
  'per_page',
  'per-page',
  'size',
])

/** Caps the number of records. Of several caps, the smallest applies. A negative value, where the contract allows one, caps nothing. */
export const cap: QueryRule = ({ name, schema }) =>
  names.has(name) && scalarType(schema) === 'integer'
    ? {
        acts: 'caps',
        stage: 'cap',
        apply: (selection, value) =>
          Number(value) < 0 ? selection : { ...selection, cap: Math.min(selection.cap ?? Infinity, Number(value)) },
      }
    : undefined
