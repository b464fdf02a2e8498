import type { ExecutionContext } from 'ava'
import test from 'ava'
import type { Document } from 'yaml'

import { asObject } from './helpers/as-object-or-list.js'
import type { ServedByCommand } from './helpers/cli.js'
import { run, serveByCommand } from './helpers/cli.js'
import { changedSpec, serveChanged } from './helpers/double.js'
import { as, assertError, del, get, json } from './helpers/http.js'
import { readReadme, sectionOf } from './helpers/read-markdown.js'
import { readPackageFile } from './helpers/read-repository-file.js'
import { shell } from './helpers/shell.js'
import { temporaryFolder, writeTemporary } from './helpers/temporary-files.js'

const section = async (): Promise<string> => sectionOf(await readReadme(), 'Change the contract')

/** Returns the groups of the list item that matches a pattern. */
async function bullet(t: ExecutionContext, pattern: RegExp): Promise<readonly string[]> {
  const bullets = (await section()).split('\n').filter((line) => line.startsWith('- '))
  t.is(bullets.length, 6)
  const [match, ...others] = bullets.flatMap((line) => pattern.exec(line) ?? [])
  t.truthy(match, String(pattern))
  return others
}

/** Starts a double by the command, with a changed copy of the spec, as the README describes. */
async function serveMine(t: ExecutionContext, change: (spec: Document) => void): Promise<ServedByCommand> {
  t.true((await section()).includes('start with `--spec mine.yaml`'))
  const cwd = await temporaryFolder(t)
  const { code } = await shell(t, `cp "${await changedSpec(t, change)}" mine.yaml`, { cwd })
  t.is(code, 0)
  return serveByCommand(t, ['--memory', '--spec', 'mine.yaml'], { cwd })
}

test("if '204' is changed to '200', deletes get a 200", async (t) => {
  const [from = '', to = '', operation, status] = await bullet(
    t,
    /^- `'(\d+)'` changed to `'(\d+)'` for `(\w+)`: deletes get a (\d+)\.$/u,
  )
  t.deepEqual([operation, status], ['deleteInsight', to])
  const replies = ['paths', '/insights/{id}', 'delete', 'responses']
  const double = await serveChanged(t, (spec) => {
    spec.setIn([...replies, to], spec.getIn([...replies, from]))
    t.true(spec.deleteIn([...replies, from]))
  })
  const reply = await del(double, '/insights/monstera-watering', as('ada'))
  t.is(reply.status, Number(to))
  t.is(reply.text, '')
})

test('if limit has maximum: 100, limit=101 gets a 400 that names the maximum', async (t) => {
  const [maximum, refused, status] = await bullet(
    t,
    /^- `maximum: (\d+)` added to `limit`: (\d+) gets a (\d+) that says so\.$/u,
  )
  const schema = ['paths', '/insights', 'get', 'parameters', 0, 'schema']
  const double = await serveChanged(t, (spec) => spec.setIn([...schema, 'maximum'], Number(maximum)))
  const message = `Query parameter limit must be an integer from 1 to ${maximum}, got "${refused}".`
  assertError(t, await get(double, `/insights?limit=${refused}`, as('ada')), Number(status), message)
  t.is((await get(double, `/insights?limit=${maximum}`, as('ada'))).status, 200)
})

test('if Insight has a further property, fixtures may have it, and it is sent', async (t) => {
  await bullet(t, /^- A further property in `Insight`: fixtures may have it, and it is sent\.$/u)
  const insights = [{ id: 'moss', content: 'Moss.', weight: 12 }]
  const text = JSON.stringify({ $callers: { ada: { token: 'ada-token' } }, insights })
  const fixture = await writeTemporary(t, 'weighed.json', text)
  const properties = ['components', 'schemas', 'Insight', 'properties']
  const add = (spec: Document): void => spec.setIn([...properties, 'weight'], { type: 'integer' })
  const double = await serveChanged(t, add, { fixture })
  t.deepEqual(json(await get(double, '/insights', as('ada'))), insights)
})

test('a further operation works on the same state, with no code', async (t) => {
  const [create] = await bullet(
    t,
    /^- A further operation, such as `(POST \/insights)` or `.*`: it works on the same state, with no code\.$/u,
  )
  t.is(create, 'POST /insights')
  const double = await serveMine(t, (spec) => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Insight' } } }
    const responses = { 201: { description: 'Made.', content } }
    spec.setIn(['paths', '/insights', 'post'], { operationId: 'createInsight', requestBody: { content }, responses })
  })
  const headers = { ...as('ada'), 'content-type': 'application/json' }
  const reply = await fetch(`${double.url}/insights`, { method: 'POST', headers, body: '{"content":"Ferns."}' })
  t.is(reply.status, 201)
  t.true((await get(double, '/insights', as('ada'))).text.includes('Ferns.'))
})

test('a further query parameter offset skips records, and any other has no effect and gets a warning', async (t) => {
  await bullet(
    t,
    /^- A further query parameter: `offset` skips, `page` turns pages, `tag` selects\. Any other is validated, has no effect, and gets a warning\.$/u,
  )
  const double = await serveMine(t, (spec) => {
    for (const [name, schema] of Object.entries({ offset: { type: 'integer' }, sort: { type: 'string' } }))
      spec.addIn(['paths', '/insights', 'get', 'parameters'], { name, in: 'query', schema })
  })
  const all = json(await get(double, '/insights', as('ada'))) as unknown[]
  t.deepEqual(json(await get(double, '/insights?offset=2', as('ada'))), all.slice(2))
  t.is((await get(double, '/insights?offset=2', as('ada'))).headers['sl-violations'], undefined)
  t.regex((await get(double, '/insights?sort=tag', as('ada'))).headers['sl-violations'] ?? '', /not_acted_on/u)
})

test('an operation that does something else gets an example, and its response is marked', async (t) => {
  const [name = '', value] = await bullet(
    t,
    /^- An operation that does something else: it gets an example of the spec, marked `([\w-]+): (\w+)`\.$/u,
  )
  const double = await serveMine(t, (spec) => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } } }
    const content = { 'application/json': { schema, example: { count: 12 } } }
    const get200 = { operationId: 'countInsights', responses: { 200: { description: 'Counted.', content } } }
    spec.setIn(['paths', '/insights/count'], { get: get200 })
  })
  const reply = await get(double, '/insights/count', as('ada'))
  t.deepEqual(asObject(json(reply)), { count: 12 })
  t.is(reply.headers[name], value)
  t.is((await get(double, '/insights', as('ada'))).headers[name], undefined)
})

test('a double does not start with a spec that cannot be checked, and names file, line, column, place and what would be right', async (t) => {
  const says = 'the message names file, line, column, place and what would be right'
  t.true((await section()).includes(says))
  const text = (await readPackageFile('spec/insights.yaml')).replace(
    '            minimum: 1\n',
    '            minimun: 1\n',
  )
  const spec = await writeTemporary(t, 'mine.yaml', text)
  const { code, stderr } = await run(t, ['--port', '0', '--memory', '--spec', spec])
  t.is(code, 2)
  const line = text.split('\n').findIndex((candidate) => candidate.includes('minimun')) + 1
  const place = '#/paths/~1insights/get/parameters/0/schema'
  t.true(stderr.startsWith(`${spec}:${line}:13  ${place}/minimun  "minimun" is not `), stderr)
  t.regex(stderr, / {2}did you mean "minimum"\?\n$/u)
})
