import test from 'ava'

import { assertRefused, validFixture, writeFixture } from './helpers/declare-invalid-fixture-tests.js'
import { serve } from './helpers/double.js'
import { as, get } from './helpers/http.js'

const invalid: readonly unknown[] = [
  '2026-01-05 09:30:00Z',
  '2026-01-05\n09:30:00Z',
  '2026-01-05_09:30:00Z',
  '2026-01-05T09:30:00',
  '2026-01-05T09:30:00+01',
  '2026-01-05T09:30:00+0100',
  '2026-01-05T09:30:00+24:00',
  '2026-01-05T09:30:00+01:60',
  '2026-01-05T09:30:00Z\n',
  '2026-01-05T09:30:00Z ',
  ' 2026-01-05T09:30:00Z',
  '2026-01-05T09:30:00,5Z',
  '2026-01-05T09:30Z',
  '2026-01-05T9:30:00Z',
  '2026-01-05T25:30:00Z',
  '2026-01-05T09:60:00Z',
  '2026-02-30T09:30:00Z',
  '2026-02-29T09:30:00Z',
  '2026-13-01T09:30:00Z',
  '2026-00-01T09:30:00Z',
  '26-01-05T09:30:00Z',
  '2026-01-05',
  'yesterday',
  '',
  1_767_605_400,
  null,
]
for (const time of invalid) {
  test(`a fixture with the time ${JSON.stringify(time)} is refused`, (t) =>
    assertRefused(
      t,
      {
        title: '',
        part: '"2026-01-05T09:30:00Z"',
        by: `▸${JSON.stringify(time)}`,
        pointers: ['#/insights/0/createdAt'],
        what: typeof time === 'string' ? /createdAt must be an RFC 3339 date-time/u : /createdAt must be string/u,
      },
      'json',
    ))
}

const valid: readonly string[] = [
  '2026-01-05T09:30:00Z',
  '2026-01-05t09:30:00z',
  '2026-01-05T09:30:00.123456789Z',
  '2026-01-05T09:30:00-00:00',
  '2026-01-05T09:30:00+05:45',
  '2026-01-05T09:30:00-23:59',
  '2026-01-01T00:30:00+14:00',
  '2024-02-29T23:59:59-03:30',
  '0001-01-01T00:00:00Z',
]
for (const time of valid) {
  test(`the time ${time} of a fixture is sent unchanged`, async (t) => {
    const fixture = await writeFixture(t, 'json', validFixture.replace('2026-01-05T09:30:00Z', time))
    const reply = await get(await serve(t, { fixture }), '/insights', as('ada'))
    t.is(reply.status, 200)
    t.true(reply.text.includes(`"${time}"`), reply.text)
  })
}
