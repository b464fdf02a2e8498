/** The cases of `cases.yaml`. */
import test from 'ava'
import { parse } from 'yaml'

import { readPackageFileSync } from '../helpers/files.js'
import { type Json, parameter, ref } from './plants-contract.js'
import { contract, crud, type Line, type Schema } from './rules-contract.js'
import { serviceOf } from './service-of.js'

interface Case {
  readonly box: Schema
  /** Default: that of the record. */
  readonly request?: Schema
  readonly path?: string
  readonly id?: string
  /** The parameters of the listing, by name. */
  readonly query?: Readonly<Record<string, Schema>>
  readonly operations?: Readonly<Record<string, Line>>
  readonly records?: readonly Json[]
  readonly roles?: Readonly<Record<string, string>>
  readonly explained?: Readonly<Record<string, Json>>
  /** `shows` is the whole body. */
  readonly steps?: readonly (Json & { readonly send: string; readonly like?: Json; readonly shows?: unknown })[]
}

const cases = parse(readPackageFileSync('test/resources/cases.yaml')) as Readonly<Record<string, Case>>

for (const [
  title,
  { box, id = 'id', operations, path = '/boxes', query = {}, records = [], ...rest },
] of Object.entries(cases))
  test(title, async (t) => {
    const { explained = {}, request = box, roles = {}, steps = [] } = rest
    const all = crud(path, { id, request, response: ref('Box') })
    const parameters = Object.entries(query).map(([name, { description, ...schema }]) => ({
      ...parameter(name, schema),
      description,
    }))
    const list = { [`GET ${path}`]: { ...all[`GET ${path}`], ...(parameters.length > 0 && { with: { parameters } }) } }
    const service = await serviceOf(contract({ ...all, ...list, ...operations }, { Box: box }), { boxes: records })
    for (const { like, send, shows, ...sent } of steps) {
      const outcome = like?.['error'] === undefined ? service.ok(send, sent) : service.send(send, sent)
      if (like) t.like(outcome, like)
      if (shows !== undefined) t.deepEqual('body' in outcome && outcome.body, shows)
    }
    for (const [operation, like] of Object.entries(explained)) t.like(service.explain(operation), like)
    for (const [operation, role] of Object.entries(roles)) t.is(service.role(operation), role)
  })
