/** What follows from the head of a request is kept with the head: an equal request gets what it would get alone. */

import { testOnDouble } from './helpers/double.js'
import { as, get } from './helpers/http.js'

for (const path of ['/insights?limit=2&token=not-known-1', '/insights?page=1', '/insights?limit=x'])
  testOnDouble(`equal requests get equal responses and entries: ${path}`, async (t, double) => {
    const replies = [await get(double, path, as('ada')), await get(double, path, as('ada'))]
    const [first, second] = replies.map(({ headers, ...reply }) => {
      const { date: _date, 'x-request-id': _id, ...others } = headers
      return { ...reply, headers: Object.entries(others) }
    })
    t.deepEqual(second, first)
    const [entry, again] = (await double.requests()).entries.map((each) => {
      const { durationMs: _durationMs, id, time: _time, responseHeaders, ...others } = each
      t.is(responseHeaders['x-request-id'], id)
      return { ...others, responseHeaders: { ...responseHeaders, 'x-request-id': '' } }
    })
    t.deepEqual(again, entry)
    t.false(JSON.stringify(entry).includes('not-known-1'))
  })

testOnDouble('an equal request gets the state, the callers and the faults of its own time', async (t, double) => {
  const ask = (): Promise<{ status: number; text: string }> => get(double, '/insights', as('ada'))
  const [before] = [await ask(), await ask()]
  await double.setState({ $callers: { ada: { token: 'ada-token' } }, insights: [{ content: 'new' }] })
  t.not((await ask()).text, before.text)
  await double.addFault({ operation: 'listInsights', status: 500, times: 1 })
  t.deepEqual([(await ask()).status, (await ask()).status], [500, 200])
  await double.setState({ $callers: { eve: { token: 'eve-token' } }, insights: [] })
  t.is((await ask()).status, 401)
  await double.setState({ $callers: { eve: { token: 'ada-token' } }, insights: [] })
  t.is((await ask()).text, '[]')
  const { entries } = await double.requests({ caller: 'eve' })
  t.is(entries.length, 1)
})
