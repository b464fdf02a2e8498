import test from 'ava'

import { serve } from './helpers/double.js'
import { codesIn, readReadme, sectionOf, tableOf } from './helpers/read-markdown.js'
import { readSpec } from './helpers/read-repository-file.js'
import { insightDecisions } from './helpers/readme-insight-decisions.js'
import { requestDecisions } from './helpers/readme-request-decisions.js'

const decisions = { ...insightDecisions, ...requestDecisions }

const readDecisions = async (): Promise<ReadonlyMap<string, string>> => {
  const table = tableOf(sectionOf(await readReadme(), 'Decisions'))
  return new Map(table.map(([what = '', decision = '']) => [what, decision]))
}

for (const [what, { holds, says }] of Object.entries(decisions)) {
  test(`the decision of the README holds: ${what.replaceAll('`', '')}`, async (t) => {
    const decision = (await readDecisions()).get(what) ?? ''
    t.regex(decision, says)
    await holds(t, await serve(t), says.exec(decision)?.slice(1) ?? [])
  })
}

test('every decision of the README has a test', async (t) => {
  t.deepEqual([...(await readDecisions()).keys()].toSorted(), Object.keys(decisions).toSorted())
  t.true(codesIn(sectionOf(await readReadme(), 'Decisions')).includes('x-assumption'))
})

/** Returns every x-assumption in a value, with its path. */
function assumptionsIn(value: unknown, place = '#'): readonly (readonly [place: string, text: string])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, below]) =>
    key === 'x-assumption'
      ? [[place, String(below)]]
      : assumptionsIn(below, `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}

test('every assumption of the spec has a decision that is tested, and every place of a decision has an assumption', async (t) => {
  const assumptions = new Map(assumptionsIn(await readSpec()))
  const rows = Object.entries(decisions).flatMap(([what, { places }]) =>
    Object.entries(places).map(([place, pattern]) => ({ what, place, pattern })),
  )
  t.deepEqual([...assumptions.keys()].toSorted(), [...new Set(rows.map(({ place }) => place))].toSorted())
  for (const { pattern, place, what } of rows) t.regex(assumptions.get(place) ?? '', pattern, what)
})
