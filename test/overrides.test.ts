import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { ProblemsError } from '#src/documents/problem.js'
import { explainResources } from '#src/resources/explain.js'
import { loadService } from '#src/resources/load-service.js'
import { suggestJoins } from '#src/resources/suggest-joins.js'

import { exits } from './helpers/cli.js'
import { serve, type Served } from './helpers/double.js'
import { packageFolder, readPackageFile, writeTemporary } from './helpers/files.js'
import { as, ask, get, json, type Reply, sendJson, sendRequest } from './helpers/http.js'
import { plantCallers, writeContract } from './helpers/plants-spec.js'
import { excuse } from './helpers/validate-responses.js'
import { body as response, type Json, listOf, object, text as string } from './resources/plants-contract.js'

/** Changes of the contract of epics: each text, and the text that is inserted after it. */
type Changes = Readonly<Record<string, string>>

const onEpics = (value: string): Changes => ({ '  /projects/{id}/epics:\n': `    x-double: ${value}\n` })
const onEpic = (value: string): Changes => ({ '  /epics/{id}:\n': `    x-double: ${value}\n` })
const onOperation = (id: string, value: string): Changes => ({ [`operationId: ${id}\n`]: `      x-double: ${value}\n` })
const onParameter = (name: string, value: string): Changes => ({ [`{ name: ${name}, `]: `x-double: ${value}, ` })

const joined: Changes = {
  ...onEpics('{ collection: epics, parents: { id: project_id } }'),
  ...onEpic('{ collection: epics }'),
}

/** Sends a request with a JSON body. */
const send = (double: Served, method: string, path: string, body: unknown): Promise<Reply> =>
  sendJson(double, method, path, body, as('ada'))

/** Writes a changed copy of the contract of epics to a file. */
async function epics(t: ExecutionContext, changes: Changes): Promise<string> {
  let text = await readPackageFile('test/specs/epics.yaml')
  for (const [before, added] of Object.entries(changes)) {
    if (!text.includes(before)) throw new Error(`The contract has no ${before}`)
    text = text.replace(before, before + added)
  }
  return writeTemporary(t, 'epics.yaml', text)
}

const rows = [[7, 'Grow'] as const, [8, 'Prune'] as const, [7, 'Water'] as const]
const fixture = { epics: rows.map(([project_id, title], index) => ({ id: index + 1, project_id, title })) }

test('paths that name the same collection share its records', async (t) => {
  const spec = await epics(t, {
    ...joined,
    '  /epics/{id}/archive:\n': '    x-double: { collection: epics }\n',
    ...onOperation('archiveEpic', 'remove'),
    ...onParameter('count', 'limit'),
    ...onParameter('search', 'title'),
  })
  const double = await serve(t, { spec, fixture })
  const titles = async (target: string): Promise<unknown> =>
    (json(await get(double, target)) as { title: string }[]).map(({ title }) => title)
  t.deepEqual(await titles('/projects/7/epics'), ['Grow', 'Water'])
  t.deepEqual(await titles('/projects/7/epics?count=1'), ['Grow'])
  t.deepEqual(await titles('/projects/7/epics?search=Water'), ['Water'])
  const created = await send(double, 'POST', '/projects/8/epics', { title: 'Repot' })
  t.deepEqual([created.status, json(created)], [201, { id: 4, project_id: 8, title: 'Repot' }])
  t.deepEqual(json(await get(double, '/epics/4')), { id: 4, project_id: 8, title: 'Repot' })
  t.is((await send(double, 'PATCH', '/epics/4', { title: 'Move' })).status, 200)
  t.deepEqual(await titles('/projects/8/epics'), ['Prune', 'Move'])
  t.is((await ask(double, 'DELETE', '/epics/2')).status, 204)
  t.is((await ask(double, 'POST', '/epics/4/archive')).status, 204)
  t.deepEqual(await titles('/projects/8/epics'), [])
  t.is((await ask(double, 'POST', '/epics/4/archive')).status, 404)
})

test('a response names the errors that it answers, or is the usual one', async (t) => {
  const error = "$ref: '#/components/responses/Error'"
  const spec = await epics(t, {
    ...joined,
    "'201': { $ref: '#/components/responses/Epic' }\n": `        '400': { ${error}, x-double: { type: { error: 400, message: '{name} is {value}' }, minLength: true } }
        '409': { ${error}, x-double: { malformed_json: { error: 409, message: 'No {name}.' }, taken: { error: 409, message: '{value} {uuid} {now} {it}' } } }
        '422': { description: Refused., x-double: [required, missing_body] }
`,
    ...onOperation('removeEpic', '{ off: [body] }'),
    "'204': { description: It is archived. }\n": "        '202': { description: Soon., x-double: usual }\n",
  })
  const double = await serve(t, { spec, fixture })
  excuse(double, 'the requests are wrong on purpose')
  const statusOf = async (body?: string, method = 'POST', path = '/projects/7/epics'): Promise<number> =>
    (await sendRequest(double, method, path, { headers: { 'content-type': 'application/json' }, body })).status
  t.is(await statusOf('{}'), 422)
  t.is(await statusOf(), 422)
  const headers = { 'content-type': 'application/json' }
  const malformed = await sendRequest(double, 'POST', '/projects/7/epics', { headers, body: '{"' })
  t.is(malformed.status, 409)
  t.regex(malformed.text, /is not JSON/u, 'nothing is said of a name that the error does not have')
  const wrong = await sendJson(double, 'POST', '/projects/7/epics', { title: 1 })
  t.like([wrong.status, json(wrong)], [400, { message: 'title is 1' }])
  const taken = await sendJson(double, 'POST', '/projects/7/epics', { title: 'Grow' })
  t.is(taken.status, 409)
  t.regex(taken.text, /Grow [\da-f-]{36} \d{4}-\d\d-[\dT:.]+Z \{it\}/u)
  t.is(await statusOf('{}', 'DELETE', '/epics/2'), 204)
  t.is(await statusOf(undefined, 'POST', '/epics/1/archive'), 202)
})

test('explain prints the decisions of x-double, and the overlay that would join paths', async (t) => {
  t.deepEqual(await suggestJoins(await loadService(await epics(t, {}))), [])
  const mocked = { ...onOperation('removeEpic', 'mocked'), ...onParameter('count', 'ignore') }
  const changed = await loadService(await epics(t, { ...joined, ...mocked }))
  t.deepEqual(await suggestJoins(changed), [])
  const { collections, operations } = explainResources(changed)
  const byRole = { list: 'listEpics', create: 'createEpic', read: 'readEpic', update: 'updateEpic' }
  const paths = { path: '/projects/{id}/epics', itemPath: '/epics/{id}' }
  t.deepEqual(collections, [{ name: 'epics', ...paths, id: 'id', operations: byRole }])
  t.is(operations.find(({ operation }) => operation === 'removeEpic')?.reason, 'x-double says so')
  t.deepEqual(operations[0]?.parameters, [
    { name: 'id', in: 'path', acts: { kind: 'parent', property: 'project_id' } },
    { name: 'count', in: 'query', acts: null },
    { name: 'search', in: 'query', acts: { kind: 'search' } },
  ])
})

const teams =
  '  /teams/{team}/epics:\n    get:\n      operationId: listTeamEpics\n      parameters: [{ name: team, in: path, required: true, schema: { type: string } }, { name: kind, in: query, required: true, schema: { type: string } }]\n      responses: { "200": { description: Epics, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Epic" } } } } } }\n'
/** A second listing of epics, which needs a query. */
const ofTeams = { 'paths:\n': teams }

test('explain --suggest prints an overlay that applies, for each contract of the tests', async (t) => {
  const names = (await readdir(join(packageFolder, 'test/specs'))).filter((name) => name.endsWith('.yaml'))
  const specs = [...names.map((name) => join(packageFolder, 'test/specs', name)), await epics(t, ofTeams)]
  let suggested = 0
  for (const spec of specs) {
    const { stderr, stdout } = await exits(t, 0, ['explain', spec, '--suggest'])
    t.is(stdout === '', stderr.includes('No x-double is known'), spec)
    if (stdout === '') continue
    suggested++
    t.is((await get(await serve(t, { spec, fixture: {} }), '/__admin/overlay')).text, stdout, spec)
    const overlay = await writeTemporary(t, 'overlay.yaml', stdout)
    const double = await serve(t, { spec, overlay, fixture: {} })
    const { operations } = await double.collections()
    const stateful = new Set(operations.flatMap(({ operation, role }) => (role === 'mocked' ? [] : [operation])))
    const before = explainResources(await loadService(spec)).operations.filter(({ role }) => role !== 'mocked')
    t.true(before.length < stateful.size && before.every(({ operation }) => stateful.has(operation)), spec)
    // It keeps the actions of an overlay that is given.
    const again = await exits(t, 0, ['explain', spec, '--overlay', overlay, '--suggest'])
    t.regex(again.stderr, /No x-double is known/u)
  }
  t.true(suggested > 0)
})

test('a listing that nothing changes can be a collection, which a fixture sets', async (t) => {
  const list = (schema: Json) => ({ get: { responses: { 200: response(listOf(schema)) } } })
  const Stop = object({ id: string, name: string }, 'id')
  const paths = { '/stops': list(Stop), '/old/stops': list(Stop), '/words': list(object({ word: string })) }
  const joins = await suggestJoins(await loadService(await writeContract(t, paths)))
  t.deepEqual(joins, [
    { path: '/stops', override: { collection: 'stops' } },
    { path: '/old/stops', override: { collection: 'old/stops' } },
  ])
  const declared = { ...list(Stop).get, 'x-double': 'list' }
  const spec = await writeContract(t, { '/stops': { get: declared } })
  const double = await serve(t, { spec, fixture: { stops: [{ id: 's1', name: 'A' }] } })
  t.deepEqual(json(await ask(double, 'GET', '/stops')), [{ id: 's1', name: 'A' }])
})

test('explain --suggest leaves out a path that cannot be joined, and keeps the actions of --overlay', async (t) => {
  const spec = await epics(t, ofTeams)
  const action = `{ target: $.info, update: { x-note: kept } }`
  const head = "overlay: 1.0.0\ninfo: { title: A, version: '1' }\n"
  const overlay = await writeTemporary(t, 'o.yaml', `${head}actions: [${action}]\n`)
  const { stdout } = await exits(t, 0, ['explain', spec, '--overlay', overlay, '--suggest'])
  t.regex(stdout, /x-note: kept[^]*\/projects\/\{id\}\/epics/u)
  t.notRegex(stdout, /teams/u)
})

test('$parents of a record has each parent that is not a property', async (t) => {
  const changed = await epics(t, { ...joined, ...onEpics('{ collection: epics }') })
  // No property has the name of the parent.
  const text = (await readFile(changed, 'utf8')).replaceAll('project_id', 'estate')
  const spec = await writeTemporary(t, 'estates.yaml', text)
  const epic = { id: 1, estate: 0, title: 'Grow', $parents: { projectId: 7 } }
  const double = await serve(t, { spec, fixture: { epics: [epic] } })
  t.is((json(await get(double, '/projects/7/epics')) as unknown[]).length, 1)
  t.is((json(await get(double, '/projects/0/epics')) as unknown[]).length, 0)
})

test('access: everyone gives each caller access to every record', async (t) => {
  const secured = `security: [{ token: [] }]\n`
  const scheme = `  securitySchemes: { token: { type: http, scheme: bearer } }\n`
  const spec = await epics(t, {
    ...joined,
    'info: { title: Epics, version: 1.0.0 }\n': secured,
    'components:\n': scheme,
    ...onOperation('readEpic', '{ role: read, access: everyone }'),
    ...onOperation('createEpic', '{ access: everyone }'),
  })
  const own = [{ id: 1, project_id: 7, title: 'Grow', $access: ['grace'] }]
  const double = await serve(t, { spec, fixture: { $callers: plantCallers, epics: own } })
  t.is((await get(double, '/epics/1', as('ada'))).status, 200)
  t.is((await ask(double, 'DELETE', '/epics/1', as('ada'))).status, 404)
  t.is((await send(double, 'POST', '/projects/7/epics', { title: 'Open' })).status, 201)
  t.is((json(await get(double, '/projects/7/epics', as('grace'))) as unknown[]).length, 2)
})

/** Problems, `line:column  problem  hint`, by the changes that cause them. */
const refused: Readonly<Record<string, Changes>> = {
  '24:28  key "colection" is not known  did you mean collection?': onEpic('{ colection: epics }'),
  '24:15  x-double of a path must be an object or singleton  write {collection: <name>}': onEpic('epics'),
  '24:29  must be a name that does not begin with $  write a string': onEpic('{ collection: $epics }'),
  '43:17  "delete" is not a role  use list, create, read, replace, update, remove, action, mocked': {
    ...joined,
    ...onOperation('removeEpic', 'delete'),
  },
  '41:17  "removed" is not a role  did you mean remove?': onOperation('removeEpic', 'removed'),
  '41:41  access "all" is not known  use everyone, or leave it out': onOperation(
    'removeEpic',
    '{ role: remove, access: all }',
  ),
  '41:24  "if-match" cannot be off  use etag, idempotency, parent, cascade, updated, clash, body': onOperation(
    'removeEpic',
    '{ off: [etag, if-match] }',
  ),
  '10:17  listEpics cannot have the role read: /projects/{id}/epics is the path of a collection  correct this, or remove x-double':
    { ...joined, ...onOperation('listEpics', 'read') },
  '5:50  "titel" is not a property of the record  did you mean title?': {
    ...joined,
    ...onEpics("{ collection: epics, made: { slug: '{id}-{titel}' }, parents: { id: project_id } }"),
  },
  '5:56  "project" is not a parameter of /projects/{id}/epics  use id': onEpics(
    '{ collection: epics, parents: { project: project_id } }',
  ),
  '5:15  no operation of /projects/{id}/epics can be stateful: its records have no property projectid; did you mean project_id?  correct this, or remove x-double':
    { ...joined, ...onEpics('{ collection: epics, parents: { id: projectid } }') },
  '5:15  no operation of /projects/{id}/epics can be stateful: its records have no property uid; did you mean id?  correct this, or remove x-double':
    { ...joined, ...onEpic('{ collection: epics, id: uid }') },
  '12:37  "titel" is not a property of the record  did you mean title?': {
    ...joined,
    ...onParameter('search', 'titel'),
  },
  '12:37  parameter search cannot mean limit: search must be an integer  correct it': {
    ...joined,
    ...onParameter('search', 'limit'),
  },
  '11:36  parameter count cannot mean page: it must be an integer, and another parameter must cap the listing  correct it':
    { ...joined, ...onParameter('count', 'page') },
  '11:36  parameter count cannot mean title: the property must be a string, number or boolean, and the parameter of the same type  correct it':
    { ...joined, ...onParameter('count', 'title') },
  '11:37  x-double of a parameter must be a string or a range  use limit, offset, page, cursor, sort, search, ignore, a property of the record, or a range such as {gte: <property>}':
    onParameter('search', '[title]'),
  '12:37  x-double: title has no effect: search is not a query parameter of a stateful listing  remove it': {
    ...onOperation('listEpics', 'mocked'),
    ...onParameter('search', 'title'),
  },
  '23:51  "requird" cannot select the response 422  did you mean required?': {
    "'201': { $ref: '#/components/responses/Epic' }\n":
      "        '422': { description: Refused., x-double: [requird] }\n",
  },
  '66:7  x-double has no effect here  write it in a path item, an operation, a parameter or a response': {
    '    Epic:\n': '      x-double: mocked\n',
  },
}

test('an invalid x-double is a problem with its line', async (t) => {
  for (const [message, changes] of Object.entries(refused)) {
    const spec = await epics(t, changes)
    const error = await t.throwsAsync(loadService(spec), { instanceOf: ProblemsError })
    const [problem] = error?.problems ?? []
    const { column, line } = problem?.position ?? {}
    t.is(`${line}:${column}  ${problem?.what}  ${problem?.hint}`, message)
    t.is(problem?.file, spec)
    t.is(error?.problems.length, 1, error?.message)
  }
})
