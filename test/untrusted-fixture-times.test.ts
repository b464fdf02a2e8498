import test from 'ava'

import { serve } from './helpers/double.js'
import { as, get } from './helpers/http.js'
import { assertRefused, soundFixture, writeFixture } from './helpers/untrusted-fixture.js'

const fern = '#/insights/0'

const times = [
  '2026-01-05 09:30:00Z',
  '2026-01-05T09:30:00+01',
  '2026-01-05T09:30:00+24:00',
  '2026-01-05T09:30:00+01:60',
  '2026-01-05T09:30:00',
  '2026-01-05T09:30Z',
  '2026-01-05',
  '2026-02-30T09:30:00Z',
  '2026-13-01T09:30:00Z',
  '2025-02-29T09:30:00Z',
  '2026-01-05T25:30:00Z',
  '2026-01-05T09:60:00Z',
  '2026-01-05T09:30:00,5Z',
  '26-01-05T09:30:00Z',
  '2026-01-05T09:30:00Z ',
  'yesterday',
  '',
]
for (const time of times) {
  test(`createdAt cannot be "${time}"`, (t) =>
    assertRefused(
      t,
      {
        title: '',
        part: '"2026-01-05T09:30:00Z"',
        by: `▸"${time}"`,
        pointers: [`${fern}/createdAt`],
        what: /createdAt must be an RFC 3339 date-time/u,
      },
      'json',
    ))
}
for (const time of [
  '2026-01-05T09:30:00Z',
  '2026-01-05t09:30:00.123456789z',
  '2024-02-29T23:59:59-03:30',
  '2026-01-01T00:30:00+14:00',
]) {
  test(`createdAt can be "${time}", and is sent as it was written`, async (t) => {
    const fixture = await writeFixture(t, 'json', soundFixture.replace('2026-01-05T09:30:00Z', time))
    const reply = await get(await serve(t, { fixture }), '/insights', as('ada'))
    t.is(reply.status, 200)
    t.true(reply.text.includes(`"${time}"`), reply.text)
  })
}
