/** The decisions of the README about insights and their listing, and the test of each. */
import type { ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { as, assertError, del, get, idsSeenBy, json, raw, wire } from './http.js'
import { readFixture, visibleIn } from './package-fixtures.js'

/** A row of the README's table of decisions. */
export interface Decision {
  /** A part of the path in the spec, and its text. */
  readonly places: Readonly<Record<string, RegExp>>
  /** A pattern of the README's text. The test gets its groups. */
  readonly says: RegExp
  holds(t: ExecutionContext, double: DoubleHandle, said: readonly string[]): Promise<void>
}

const listing = '#/paths/~1insights/get'
const deletion = '#/paths/~1insights~1{id}/delete'
const seen = '/insights/monstera-watering'

/** By the first cell of their rows. */
export const insightDecisions: Readonly<Record<string, Decision>> = {
  'identifier field': {
    places: {
      '#/components/schemas/InsightId': /1 to 128 characters.*required in responses/su,
    },
    says: /^`id`: a string of (\d+) to (\d+) of the characters `(.+)`, required in responses$/u,
    holds: async (t, double, [least = '', most = '', characters = '']) => {
      const allowed = new RegExp(`^[${characters}]$`, 'u')
      for (let code = 0x20; code < 0x7f; code++) {
        const character = String.fromCharCode(code)
        const encoded = `%${code.toString(16)}`
        const { status } = await del(double, `/insights/x${encoded}`, as('ada'))
        t.is(status, allowed.test(character) ? 404 : 400, character)
      }
      for (const [length, status] of [
        [Number(least), 404],
        [Number(most), 404],
        [Number(most) + 1, 400],
      ] as const)
        t.is((await del(double, `/insights/${'x'.repeat(length)}`, as('ada'))).status, status, String(length))
      await double.setState({ $callers: { ada: { token: 'ada-token' } }, insights: [{ content: 'Moss.' }] })
      t.deepEqual(await idsSeenBy(double, 'ada'), ['insight-1'])
    },
  },
  'success status of DELETE': {
    places: { [`${deletion}/responses/204`]: /204/u },
    says: /^(\d+), no body$/u,
    holds: async (t, double, [status = '']) => {
      const reply = await raw(double, wire(`DELETE ${seen}`, ['Authorization: Bearer ada-token', 'Connection: close']))
      t.is(String(reply.status), status)
      t.is(reply.text, '')
    },
  },
  'second DELETE, unknown id, id that the caller has no access to': {
    places: { [`${deletion}/responses/404`]: /404 in all three cases/u },
    says: /^(\d+), byte-identical in all three cases; the journal says which it was$/u,
    holds: async (t, double, [status = '']) => {
      const empty = await double.sandbox({ fixture: 'empty' })
      const replies = [await del(empty, seen, as('alan')), await del(double, seen, as('alan'))]
      t.is((await del(double, seen, as('ada'))).status, 204)
      replies.push(await del(double, seen, as('ada')))
      for (const reply of replies) {
        assertError(t, reply, Number(status))
        t.is(reply.text, replies[0]?.text ?? '')
      }
      const ids = replies.map(({ headers }) => headers['x-request-id'] ?? '')
      const notes = await Promise.all(
        ids.map(async (id, index) => (await (index === 0 ? empty : double).request(id)).note),
      )
      t.is(new Set(notes).size, 3, notes.join())
    },
  },
  'DELETE of an insight that several callers have access to': {
    places: { [deletion]: /deleted\s+for all of them/u },
    says: /^it is deleted for all of them$/u,
    holds: async (t, double) => {
      t.true((await idsSeenBy(double, 'grace')).includes('monstera-watering'))
      t.is((await del(double, seen, as('ada'))).status, 204)
      t.false((await idsSeenBy(double, 'grace')).includes('monstera-watering'))
    },
  },
  '`limit` omitted': {
    places: { [`${listing}/parameters/0`]: /limit is omitted.* all insights/su },
    says: /^all insights that the caller has access to$/u,
    holds: async (t, double) => {
      await double.reset('many')
      const fixture = await readFixture('many.json')
      t.deepEqual(json(await get(double, '/insights', as('ada'))), visibleIn(fixture, 'ada'))
    },
  },
  'bounds of `limit`': {
    places: { [`${listing}/parameters/0/schema`]: /no bounds\. The minimum is 1/u },
    says: /^(\d+) to (\d+), a plain integer, given once: (`.*`), an empty or repeated `limit` get (\d+)$/u,
    holds: async (t, double, [least = '', most = '', refused = '', status]) => {
      const statusOf = async (query: string): Promise<number> =>
        (await get(double, `/insights?${query}`, as('ada'))).status
      for (const limit of [least, most]) t.is(await statusOf(`limit=${limit}`), 200, limit)
      const written = [...refused.matchAll(/`([^`]+)`/gu)].map(([, text = '']) => text)
      t.true(written.length >= 6)
      for (const text of [...written, String(Number(least) - 1), String(Number(most) + 1), ''])
        t.is(await statusOf(`limit=${encodeURIComponent(text)}`), Number(status), text)
      t.is(await statusOf('limit=1&limit=1'), Number(status))
    },
  },
  'order of a list': {
    places: { [`${listing}/responses/200/content/application~1json/schema`]: /order of the fixture/u },
    says: /^the order of the fixture; new records come last$/u,
    holds: async (t, double) => {
      const before = await idsSeenBy(double, 'ada')
      const { $callers, insights = [] } = await double.state()
      await double.setState({ $callers, insights: insights.toReversed() })
      t.deepEqual(await idsSeenBy(double, 'ada'), before.toReversed())
    },
  },
}
