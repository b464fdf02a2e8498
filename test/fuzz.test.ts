import test from 'ava'

import { fuzz } from './fuzz/fuzz.js'

/** The factor of the time limits. It is high, because other tests run in parallel. `node build/test/fuzz/main.js` uses 1. */
const patience = 20

for (const [log, from, count] of [
  ['json', 0, 400],
  ['pretty', 100_000, 300],
] as const)
  test(`each of ${count} requests of every kind gets a valid response, a journal entry and a log line (--log ${log})`, async (t) => {
    const { byStatus, failures, requests } = await fuzz({ seed: 7, from, count, log, mode: 'raw', patience })
    t.log(`${requests} requests: ${[...byStatus].map(([status, times]) => `${times} × ${status}`).join(', ')}`)
    t.deepEqual(failures, [])
    t.true(requests >= count)
    for (const status of [200, 204, 400, 401, 403, 404, 405, 417, 431])
      t.true((byStatus.get(status) ?? 0) > 0, `${status}`)
  })

test('500 requests with bodies of every kind to all six roles get valid responses, and the state can be read again', async (t) => {
  const { byStatus, failures } = await fuzz({ seed: 7, count: 500, mode: 'roles', patience })
  t.log([...byStatus].map(([status, times]) => `${times} × ${status}`).join(', '))
  t.deepEqual(failures, [])
  for (const status of [200, 201, 204, 400, 401, 404, 409, 413, 415])
    t.true((byStatus.get(status) ?? 0) > 0, `${status}`)
})
