import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { ProblemsError } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { insightsIn } from './helpers/control.js'
import { startHere } from './helpers/double-in-thread.js'
import { serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/temporary-files.js'

test('a state file from another fixture than that of the options is refused, and does not change', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await (await serve(t, { state, fixture: 'empty' })).stop()
  const before = await readFile(state, 'utf8')
  t.is(asObject(asObject(JSON.parse(before))['$seed'])['fixture'], 'empty')
  const error = await t.throwsAsync(startHere({ state, fixture: 'many' }), { instanceOf: ProblemsError })
  t.regex(
    error?.message ?? '',
    /seeded from the fixture empty, not from many {2}start from the fixture with --fresh.*--state/u,
  )
  t.is(await readFile(state, 'utf8'), before)
  t.is((await insightsIn(await serve(t, { state, fixture: 'many', fresh: true }))).length, 1000)
})

test('a start without a fixture continues from the state, and a diff compares it with the fixture of the state', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await (await serve(t, { state, fixture: 'empty' })).stop()
  const double = await serve(t, { state })
  t.deepEqual(await double.diff(), {
    fixture: 'empty',
    collections: { insights: { added: [], removed: [], changed: {} } },
  })
})

test('an inline fixture has no name, and the next reset uses it again', async (t) => {
  const double = await serve(t)
  const fixture = { $callers: { ada: { token: 'ada-token' } }, insights: [{ content: 'Moss.' }] }
  const summary = { fixture: null, collections: { insights: 1 } }
  t.deepEqual(await double.reset(fixture), summary)
  t.is((await double.state()).$seed?.fixture, null)
  t.deepEqual(await double.reset(), summary)
  const sandbox = await double.sandbox({ fixture: { ...fixture, insights: [] } })
  t.deepEqual(await insightsIn(sandbox), [])
})
