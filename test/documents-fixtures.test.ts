import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asObject, type JsonObject } from './helpers/as-object-or-list.js'
import { exits, run, serveByCommand } from './helpers/cli.js'
import { atUrl, documentBlock, readDocument } from './helpers/documents.js'
import { serve } from './helpers/double.js'
import { readPackageFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, idsSeenBy } from './helpers/http.js'
import { codesIn } from './helpers/read-markdown.js'
import { shell } from './helpers/shell.js'

/** Starts a double with the document's fixture. @param change - Changes its text. */
async function startMine(t: ExecutionContext, change = (fixture: JsonObject) => fixture): Promise<DoubleHandle> {
  const text = JSON.stringify(change(asObject(JSON.parse(await documentBlock('fixture')))))
  return serve(t, { fixture: await writeTemporary(t, 'mine.json', text) })
}

test('the fixture of the document is valid, and its name is the base name of the file', async (t) => {
  const file = await writeTemporary(t, 'mine.json', await documentBlock('fixture'))
  t.deepEqual(await run(t, ['check', file]), { code: 0, stdout: `${file}  ok  2 insights, 2 callers\n`, stderr: '' })
  const double = await startMine(t)
  t.is((await double.diff()).fixture, 'mine')
})

test('the $schema of the fixture exists, relative to the folder of fixtures', async (t) => {
  const { $schema } = asObject(JSON.parse(await documentBlock('fixture')))
  t.is($schema, asObject(JSON.parse(await readPackageFile('fixtures/default.json')))['$schema'])
  t.truthy(asObject(JSON.parse(await readPackageFile(join('fixtures', String($schema)))))['$schema'])
})

test('$access names the callers with access, and an omitted id is created from the position', async (t) => {
  const double = await startMine(t)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['monstera-watering', 'insight-2'])
  t.deepEqual(await idsSeenBy(double, 'grace'), ['monstera-watering'])
  t.is((await del(double, '/insights/insight-2', as('grace'))).status, 404)
  t.is((await del(double, '/insights/insight-2', as('ada'))).status, 204)
})

test('check prints every problem with file, line and column', async (t) => {
  const text = (await documentBlock('fixture')).replace('"tag": "care"', '"tag": 1').replace('["ada"]', '["bob"]')
  const file = await writeTemporary(t, 'mine.json', text)
  const { stdout } = await exits(t, 1, ['check', file])
  const lines = text.split('\n')
  const placeOf = (part: string): string => {
    const line = lines.findIndex((candidate) => candidate.includes(part))
    return `${file}:${line + 1}:${(lines[line] ?? '').indexOf(part) + 1}  `
  }
  const [first = '', second = '', last] = stdout.split('\n')
  t.true(first.startsWith(`${file}:${lines.findIndex((line) => line.includes('"tag": 1')) + 1}:`), first)
  t.true(second.startsWith(placeOf('"bob"')), second)
  t.is(last, '2 problems')
})

test('the package contains the fixtures that the document names', async (t) => {
  const [sentence = ''] = /^The package contains the fixtures [\s\S]*?\. /mu.exec(await readDocument('fixtures')) ?? []
  const double = await serve(t)
  t.deepEqual(codesIn(sentence).toSorted(), (await double.fixtures()).map(({ name }) => name).toSorted())
  t.true(sentence.includes('`many` (1,000 insights)'))
  t.is((await double.reset('many')).collections['insights'], 1000)
})

test('the command of the document saves the current state as a fixture', async (t) => {
  const double = await serveByCommand(t, ['--memory'])
  t.is((await del(double, '/insights/monstera-watering', as('ada'))).status, 204)
  const cwd = await temporaryFolder(t)
  const { code, stderr } = await shell(t, atUrl(await documentBlock('mine'), double.url), { cwd })
  t.is(code, 0, stderr)
  const again = await serve(t, { fixture: join(cwd, 'mine.json') })
  for (const caller of ['ada', 'grace', 'alan'])
    t.deepEqual(await idsSeenBy(again, caller), await idsSeenBy(double, caller), caller)
})
