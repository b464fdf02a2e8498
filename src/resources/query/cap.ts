/** A rule for `limit` and its synonyms: they cap a listing. */
import { scalarType } from '../schema/compare-schemas.js'
import type { QueryRule } from './query-action.js'

const names: ReadonlySet<string> = new Set(['limit', 'pageSize', 'page_size', 'per_page', 'perPage', 'size'])

/** Caps the number of records. Of several caps the smallest holds. */
export const cap: QueryRule = ({ name, schema }) =>
  names.has(name) && scalarType(schema) === 'integer'
    ? {
        acts: 'caps',
        stage: 'cap',
        apply: (selection, value) => ({
          ...selection,
          cap: Math.min(selection.cap ?? Infinity, Math.max(0, Number(value))),
        }),
      }
    : undefined
