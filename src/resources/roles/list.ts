/** List: `GET` of a collection returns the caller's records, in order: filter, then skip, then cap. */
import { isMarked } from '../../contract/schemas/read-schema.js'
import { deepFreeze } from '../freeze-compare-and-merge-json.js'
import { createProjection } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import type { Filter } from '../list-query.js'
import { createListQuery } from '../list-query.js'
import { recordsOf } from '../records/state.js'
import { pathValue } from './find-record.js'
import { createListingCache } from './listing-cache.js'
import type { Role } from './role.js'
import { selectPage } from './select-page.js'

/** Lists records. */
export const list: Role = {
  name: 'list',
  methods: ['GET'],
  match: (model, operation) => {
    const { listBody, recordModel } = model
    const { headers, json, status } = successResponseOf(operation, '200')
    if (!json || !listBody) return 'its success response is no array of objects'
    if (typeof listBody === 'string') return listBody
    const query = createListQuery({
      parameters: operation.parameters.filter((parameter) => parameter.in === 'query'),
      // A filter by a property that is never sent would reveal its value.
      properties: new Map([...recordModel.properties].filter(([, schema]) => !isMarked(schema, 'writeOnly'))),
    })
    const project = createProjection(recordModel, listBody.record.schema)
    const cache = createListingCache()
    return {
      effects: query.effects,
      filled: () => listBody.filled,
      createHandler: (collection) => (state, caller, request) => {
        const records = recordsOf(state, collection)
        const { key, selection: asked } = query.read(request)
        const scope = model.parents.map(({ parameter }) => pathValue(request, parameter))
        const body = cache.get(records, JSON.stringify([caller?.name ?? null, key, scope]), () => {
          const within = model.parents.map(({ key: parentKey, property }, at): Filter => ({
            property: property ?? parentKey,
            values: new Set([scope[at]]),
            isInParents: property === undefined,
          }))
          const selection = { ...asked, filters: [...within, ...asked.filters] }
          const { entries, total } = selectPage(records, caller?.name, selection, listBody.isCounted)
          const items = deepFreeze(entries.map(({ record }) => listBody.record.toBody(project(record))))
          return deepFreeze(
            listBody.toBody({ items, total, skip: Math.min(selection.skip, records.size), cap: selection.cap }),
          )
        })
        return { status, headers, mediaType: json.mediaType, body }
      },
    }
  },
}
