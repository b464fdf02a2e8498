import type { ExecutionContext } from 'ava'
import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import type { Served } from './helpers/double.js'
import { serve, serveChanged } from './helpers/double.js'
import type { Reply } from './helpers/http.js'
import { as, assertError, del, get, json, raw, wire } from './helpers/http.js'
import { readSpec } from './helpers/read-repository-file.js'

/** Every status that the spec documents, by operation: `listInsights 200`. */
async function documented(): Promise<readonly string[]> {
  const paths = Object.values(asObject((await readSpec())['paths'])).map(asObject)
  return paths.flatMap((item) =>
    Object.values(item).flatMap((operation) => {
      const { operationId, responses } = asObject(operation)
      return Object.keys(asObject(responses)).map((status) => `${String(operationId)} ${status}`)
    }),
  )
}

interface Row {
  /** Starts a double that can send the status. Default: a double without changes. */
  readonly start?: (t: ExecutionContext) => Promise<Served>
  readonly ask: (double: Served) => Promise<Reply>
}

/** The request that gets each status. */
const rows: Readonly<Record<string, Row>> = {
  'listInsights 200': { ask: (double) => get(double, '/insights', as('ada')) },
  'listInsights 400': { ask: (double) => get(double, '/insights?limit=abc', as('ada')) },
  'listInsights 401': { ask: (double) => get(double, '/insights') },
  'listInsights 500': {
    start: (t) =>
      serveChanged(t, (spec) => {
        const schema = ['responses', '200', 'content', 'application/json', 'schema']
        spec.setIn(['paths', '/insights', 'get', ...schema, 'maxItems'], 1)
      }),
    ask: (double) => get(double, '/insights', as('ada')),
  },
  'deleteInsight 204': {
    ask: (double) => {
      const headers = ['Authorization: Bearer ada-token', 'Connection: close']
      return raw(double, wire('DELETE /insights/monstera-watering', headers))
    },
  },
  'deleteInsight 400': { ask: (double) => del(double, '/insights/a%20b', as('ada')) },
  'deleteInsight 401': { ask: (double) => del(double, '/insights/monstera-watering', as('nobody')) },
  'deleteInsight 404': { ask: (double) => del(double, '/insights/never-was', as('ada')) },
  'deleteInsight 500': {
    start: (t) =>
      serveChanged(t, (spec) => {
        const deletion = ['paths', '/insights/{id}', 'delete', 'responses']
        spec.setIn([...deletion, '204', 'headers'], { Location: { required: true, schema: { type: 'string' } } })
      }),
    ask: (double) => del(double, '/insights/monstera-watering', as('ada')),
  },
}

for (const [name, { ask, start = serve }] of Object.entries(rows)) {
  test(`${name} is documented, and occurs`, async (t) => {
    t.true((await documented()).includes(name))
    const status = Number(name.split(' ')[1])
    const reply = await ask(await start(t))
    if (status >= 400) {
      assertError(t, reply, status)
      return
    }
    t.is(reply.status, status)
    if (status === 204) t.is(reply.text, '')
    else t.true(Array.isArray(json(reply)))
  })
}

test('the table has every documented status, and no others', async (t) => {
  t.deepEqual(Object.keys(rows).toSorted(), [...(await documented())].toSorted())
})
