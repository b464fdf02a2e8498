import { basename, join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { applyOverlay } from '#src/contract/overlay.js'
import { formatProblems, ProblemsError } from '#src/documents/problem.js'
import { readSource } from '#src/documents/source.js'
import { explainResources } from '#src/resources/explain.js'
import { loadService } from '#src/resources/load-service.js'

import { asObject } from './helpers/as-object-or-list.js'
import { run } from './helpers/cli.js'
import { listenToReloads } from './helpers/double-in-thread.js'
import { serve, serveHere } from './helpers/double.js'
import { packageFolder, replaceFile, temporaryFolder, writeFiles, writeTemporary } from './helpers/files.js'
import { get, json } from './helpers/http.js'

const spec = join(packageFolder, 'test', 'specs', 'epics.yaml')

/** An overlay of ten lines that makes the epics one stateful collection. */
const joined = `overlay: 1.0.0
info:
  title: Epics with state
  version: 1.0.0
actions:
  - target: $.paths['/projects/{id}/epics']
    update: { x-double: { collection: epics, parents: { id: project_id } } }
  - target: $.paths['/epics/{id}']
    update: { x-double: { collection: epics } }
`

test('an overlay of ten lines joins paths into one stateful collection', async (t) => {
  t.true(joined.split('\n').length <= 10)
  const overlay = await writeTemporary(t, 'epics.overlay.yaml', joined)
  const double = await serve(t, { spec, overlay, fixture: { epics: [{ project_id: 7, title: 'Grow' }] } })
  const [collection] = (await double.collections()).collections
  const changes = { create: 'createEpic', update: 'updateEpic', remove: 'removeEpic' }
  t.deepEqual(collection?.operations, { list: 'listEpics', read: 'readEpic', ...changes })
  const headers = { 'content-type': 'application/json' }
  const created = await fetch(`${double.url}/projects/7/epics`, { method: 'POST', headers, body: '{"title":"Water"}' })
  t.deepEqual(await created.json(), { id: 2, project_id: 7, title: 'Water' })
  t.deepEqual(json(await get(double, '/epics/2')), { id: 2, project_id: 7, title: 'Water' })
  const { paths } = asObject(json(await get(double, '/openapi.json')))
  t.deepEqual(asObject(asObject(paths)['/epics/{id}'])['x-double'], { collection: 'epics' })
  t.true((await get(double, '/openapi.yaml')).text.includes('x-double:\n'))
})

const second = "$.paths['/epics/{id}']"
const ofSecond = 'x-double: { collection: epics }'
const ofFirst = /\$\.paths.*\n.*update.*/u
const slow = '$..[?$..[?$..[?$..*]]]'

/** Problems, `line  problem  hint`, by the part of the overlay that is replaced and the text instead. */
const refused: Readonly<Record<string, readonly [part: string | RegExp, by: string]>> = {
  '1  is not an OpenAPI Overlay  write an Overlay document, with `overlay: 1.0.0` at the top': [
    /^[^]*$/u,
    'openapi: 3',
  ],
  '8  action 2 is too slow: its target takes longer than 2026 ms  write the path of the target': [second, slow],
  '1  Overlay version "2.0.0" is not supported  use `overlay: 1.0.0`': ['1.0.0', '2.0.0'],
  '1  info must have a title and a version  write info: { title: …, version: … }': ['info:', 'x-info:'],
  '5  actions must be a list of at least one action  write {target, update}': [/actions:[^]*/u, 'actions: []'],
  '5  key "action" is not known  did you mean actions?': ['actions:', 'action:'],
  '6  key "targt" is not known  did you mean target?': ['target: ', 'targt: '],
  '6  "$.paths[?(@.x = 1)]" is not JSONPath  write one such as $.paths[\'/orders\'].get': [
    /target: .*/u,
    'target: $.paths[?(@.x = 1)]',
  ],
  "6  target must be a JSONPath  write it as a string, such as $.paths['/orders'].get": [/target: .*/u, 'target: 5'],
  '6  an action must have update, or remove: true  write what to merge into the target': ['    update', '    x-update'],
  '8  action 2 targets a value that is neither an object nor an array  correct the JSONPath': [second, '$.openapi'],
  '8  action 2 targets an object, and its update is none  correct the JSONPath': [`{ ${ofSecond} }`, '5'],
  '6  action 1 would remove the whole document  correct the JSONPath': [ofFirst, '$\n    remove: true'],
  // Values of the overlay are validated like values of the spec. Their position is in the overlay.
  '9  key "colection" is not known  did you mean collection?': ['{ collection: epics }', '{ colection: epics }'],
  '9  `in` is "qery"  did you mean query?': [ofSecond, 'parameters: [{ name: x, in: qery, schema: {} }]'],
}

test('an overlay that cannot be applied is a problem with its file and line', async (t) => {
  for (const [problem, [part, by]] of Object.entries(refused)) {
    const overlay = await writeTemporary(t, 'o.yaml', joined.replace(part, by))
    const error = await t.throwsAsync(loadService(spec, { overlay }), { instanceOf: ProblemsError })
    const lines = (error?.problems ?? []).map(({ hint, position, what }) => `${position?.line}  ${what}  ${hint}`)
    const found = lines.some((line) => line.startsWith(problem))
    t.true(found, `${lines.join('\n')}\n${problem}`)
    t.true(error?.problems.every(({ file }) => file === overlay))
  }
})

test('explain prints the file and line of the overlay for an operation that it adds', async (t) => {
  const added = `${joined}  - target: $.paths
    update:
      /health: { get: { operationId: readHealth, responses: { 204: { description: Fine. } } } }
`
  const overlay = await writeTemporary(t, 'o.yaml', added)
  const { operations } = explainResources(await loadService(spec, { overlay }))
  const placeOf = (name: string): unknown => {
    const { file, line } = operations.find(({ operation }) => operation === name) ?? {}
    return { file, line }
  }
  t.deepEqual(placeOf('readHealth'), { file: overlay, line: 12 })
  t.is((placeOf('readEpic') as { file?: string }).file, undefined)
})

test('an action whose target matches nothing is a diagnostic, and strict refuses it', async (t) => {
  const overlay = await writeTemporary(t, 'o.yaml', joined.replace('/epics/{id}', '/epic/{id}'))
  const warning = `${overlay}:8:13  #/actions/1/target  action 2 targets nothing: $.paths['/epic/{id}']  correct the JSONPath, or remove the action`
  const words = ['--spec', spec, '--overlay', overlay]
  const explained = await run(t, ['explain', ...words])
  t.deepEqual([explained.code, explained.stderr], [0, `${warning}\n`])
  const withoutFirst = joined.replace(/update: \{ x-double: \{ collection: epics, .*/u, 'update: {}')
  const harmless = await writeTemporary(t, 'o.yaml', withoutFirst.replace(second, "$.paths['/epic/{id}']"))
  const { contract } = await loadService(spec, { overlay: harmless })
  t.deepEqual(formatProblems(contract.diagnostics), [warning.replace(overlay, harmless)])
  await t.throwsAsync(serve(t, { spec, overlay: harmless, strict: true }), { message: /action 2 targets nothing/u })
})

async function applied(t: ExecutionContext, document: string, actions: readonly string[]) {
  const folder = await temporaryFolder(t)
  const head = ['overlay: 1.0.0', 'info: { title: T, version: 1.0.0 }', 'actions:']
  const text = [...head, ...actions.map((each) => `  - ${each}`)]
  await writeFiles(folder, { 'a.yaml': document, 'o.yaml': text.join('\n') })
  return applyOverlay(await readSource(join(folder, 'a.yaml')), await readSource(join(folder, 'o.yaml'))).source
}

test('an update merges objects, appends to arrays, and replaces other values', async (t) => {
  const document = 'one: { a: 1, list: [1] }\ntwo: { a: 1 }\n"it\'s": [1, 2, 3]\n'
  const { value } = await applied(t, document, [
    '{ target: $.one, update: { a: { b: 2 }, list: [2], c: 3 } }',
    '{ target: "$.*[?@ == 2]", remove: true }',
    `{ target: '$["it''s"]', update: 4 }`,
    '{ target: $, update: { two: { a: null }, __proto__: { x: 1 } } }',
    '{ target: $.two, remove: true, update: { a: 7 } }',
  ])
  t.deepEqual(JSON.stringify(value), `{"one":{"a":{"b":2},"list":[1,2],"c":3},"it's":[1,3,4],"__proto__":{"x":1}}`)
})

test('each value has its line in the spec or in the overlay, and one of a list of which items were removed that of the list', async (t) => {
  const { locate } = await applied(t, 'list:\n  - a: 1\n  - b: 1\nother:\n  - x\n  - { c: 1 }\n  - { d: 1 }\n', [
    '{ target: $.list, update: { d: 1 } }',
    '{ target: "$.list[1]", update: { e: { f: 1 } } }',
    '{ target: "$.other[0]", remove: true }',
  ])
  const lineOf = (...path: (string | number)[]): string => {
    const { file, line } = locate(path)
    return `${basename(file) === 'a.yaml' ? 'spec' : 'overlay'}:${line}`
  }
  t.is(lineOf('list', 1, 'b'), 'spec:3')
  t.is(lineOf('list', 2, 'd'), 'overlay:4')
  t.is(lineOf('list', 1, 'e', 'f'), 'overlay:5')
  t.is(lineOf('other', 1, 'd'), 'spec:5')
})

test('--watch reloads the overlay', async (t) => {
  const mocked = `overlay: 1.0.0
info: { title: Mocked, version: 1.0.0 }
actions:
  - target: $.paths['/projects/{id}/epics'].get
    update: { x-double: mocked }
`
  const overlay = await writeTemporary(t, 'o.yaml', mocked)
  const { onReload, reload } = listenToReloads()
  const double = await serveHere(t, { spec, overlay, watch: true, fixture: {}, onReload })
  const next = async (text: string): Promise<readonly unknown[]> => {
    await replaceFile(overlay, text)
    const { problem } = await reload()
    return [(await get(double, '/projects/7/epics')).headers['x-double'], problem?.message]
  }
  t.is((await get(double, '/projects/7/epics')).headers['x-double'], 'mocked')
  t.deepEqual(await next(joined), [undefined, undefined])
  const [header, message] = await next(joined.replace('overlay: 1.0.0', 'overlay: 2'))
  t.is(header, undefined)
  t.regex(String(message), /Overlay version 2 is not supported/u)
})
