import test from 'ava'
import { ProblemsError } from 'insights-double'

import { serve, startDouble, writeTemporary } from './helpers/double.js'
import { as, get, json } from './helpers/http.js'

/** A fixture with one insight of a time. The time stands at line 3, column 37. */
const withTime = (createdAt: unknown): string =>
  `{"$callers": {"ada": {"token": "ada-token"}},
 "insights": [
  {"content": "Moss.", "createdAt": ${JSON.stringify(createdAt)}}]}`

const refused: readonly unknown[] = [
  '2026-01-05 09:30:00Z',
  '2026-01-05\n09:30:00Z',
  '2026-01-05_09:30:00Z',
  '2026-01-05T09:30:00',
  '2026-01-05T09:30:00+01',
  '2026-01-05T09:30:00+0100',
  '2026-01-05T09:30:00+24:00',
  '2026-01-05T09:30:00+01:60',
  '2026-01-05T09:30:00Z\n',
  ' 2026-01-05T09:30:00Z',
  '2026-01-05T09:30Z',
  '2026-01-05T9:30:00Z',
  '2026-01-05T25:00:00Z',
  '2026-01-05T09:60:00Z',
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
for (const createdAt of refused) {
  test(`a fixture with the time ${JSON.stringify(createdAt)} is refused at the start`, async (t) => {
    const fixture = await writeTemporary(t, 'times.json', withTime(createdAt))
    const error = await t.throwsAsync(startDouble({ fixture }), { instanceOf: ProblemsError })
    const [problem, ...others] = error?.problems ?? []
    t.deepEqual(others, [])
    t.is(problem?.file, fixture)
    t.deepEqual(problem?.path, ['insights', 0, 'createdAt'])
    t.deepEqual(problem?.position, { line: 3, column: 37 })
    t.regex(problem?.what ?? '', typeof createdAt === 'string' ? /RFC 3339/u : /string/u)
  })
}

const taken: readonly string[] = [
  '2026-01-05T09:30:00Z',
  '2026-01-05t09:30:00z',
  '2026-01-05T09:30:00.123456789Z',
  '2026-01-05T09:30:00-00:00',
  '2026-01-05T09:30:00+05:45',
  '2026-01-05T09:30:00-23:59',
  '2024-02-29T23:59:59Z',
  '0001-01-01T00:00:00Z',
]
for (const createdAt of taken) {
  test(`the time ${createdAt} is sent as it was written`, async (t) => {
    const fixture = await writeTemporary(t, 'times.json', withTime(createdAt))
    const double = await serve(t, { fixture })
    t.deepEqual(json(await get(double, '/insights', as('ada'))), [{ id: 'insight-1', content: 'Moss.', createdAt }])
  })
}
