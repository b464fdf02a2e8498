import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { DoubleError } from 'insights-double'

import { assertRefused, validFixture, writeFixture } from './helpers/declare-invalid-fixture-tests.js'
import { startDouble } from './helpers/double.js'
import { as, get } from './helpers/http.js'
import { temporaryFolder } from './helpers/temporary-files.js'

test('problems of a fixture do not mention requests, responses or bodies', async (t) => {
  const fixture = await writeFixture(t, 'json', validFixture.replace('"Moss."', '5').replace('"fern"', '"a b"'))
  const error = await t.throwsAsync(startDouble({ fixture }))
  t.is(error?.message.split('\n').length, 2)
  t.notRegex(error?.message ?? '', /request|response|body/iu)
})

test('all problems of a fixture are reported, in the order of the text', async (t) => {
  const text = `{
  ▸"note": 1,
  "$callers": { "ada": { "token": ▸"a b" }, ▸"b c": { "token": "b", ▸"x": 1 } },
  "insights": [
    { "id": ▸"a/b", "content": ▸5, "createdAt": ▸"now" },
    ▸{ "$access": [▸"eve"] },
    ▸7
  ]
}`
  const pointers = [
    '#/note',
    '#/$callers/ada/token',
    '#/$callers/b c',
    '#/$callers/b c/x',
    '#/insights/0/id',
    '#/insights/0/content',
    '#/insights/0/createdAt',
    '#/insights/1',
    '#/insights/1/$access/0',
    '#/insights/2',
  ]
  for (const extension of ['json', 'yaml', 'yml'])
    await assertRefused(t, { title: '', by: text, pointers, what: /./u }, extension)
})

test('a reset to an invalid fixture changes nothing', async (t) => {
  const fixtures = await temporaryFolder(t)
  await writeFile(join(fixtures, 'default.json'), validFixture)
  await writeFile(
    join(fixtures, 'broken.yaml'),
    validFixture.replace('"ada-token"', '"new-token"').replace('"Moss."', '5'),
  )
  const double = await startDouble({ fixtures })
  t.teardown(() => double.stop())
  const before = await double.state()
  const error = await t.throwsAsync(double.reset('broken'), { instanceOf: DoubleError })
  t.regex(error?.message ?? '', /broken\.yaml:8:\d+ {2}#\/insights\/1\/content /u)
  t.deepEqual(await double.state(), before)
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  t.is((await get(double, '/insights', as('new'))).status, 401)
})
