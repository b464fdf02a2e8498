import test from 'ava'
import { ProblemsError } from 'insights-double'

import { operations, problemsOf, refuses, validSpec } from './helpers/declare-invalid-spec-tests.js'
import { serve, startDouble } from './helpers/double.js'
import { as, get } from './helpers/http.js'
import { writeTemporary } from './helpers/temporary-files.js'

const limit = '#/paths/~1insights/get/parameters/0'
const remove = '#/paths/~1insights~1{id}/delete'

refuses(test, [
  { title: 'no paths', by: `▸${validSpec.replace(`paths:\n${operations}`, '')}`, pointer: '#', what: /no `paths`/u },
  {
    title: 'empty paths',
    part: `paths:\n${operations}`,
    by: '▸paths: {}\n',
    pointer: '#/paths',
    what: /no operations/u,
  },
  {
    title: 'paths without operations',
    part: `paths:\n${operations}`,
    by: '▸paths: { /insights: {} }\n',
    pointer: '#/paths',
    what: /no operations/u,
  },
  {
    title: 'a path without a slash',
    part: '  /insights:',
    by: '  ▸insights:',
    pointer: '#/paths/insights',
    what: /"insights" does not start with a slash/u,
  },
  {
    title: 'a misspelt method',
    part: 'get:',
    by: '▸gett:',
    pointer: '#/paths/~1insights/gett',
    what: /"gett" is not a method/u,
  },
  {
    title: 'a security scheme that is not defined',
    part: '[{ bearer: [] }]',
    by: '[{ ▸token: [] }]',
    pointer: '#/security/0/token',
    what: /"token" is not defined/u,
  },
  {
    title: 'a misspelt security scheme',
    part: 'bearer: { type: http, scheme: bearer }',
    by: 'bearer: ▸{ type: http, scheme: baerer }',
    pointer: '#/components/securitySchemes/bearer',
    what: /HTTP scheme "baerer"/u,
  },
  {
    title: 'an API key in an unknown location',
    part: 'bearer: { type: http, scheme: bearer }',
    by: 'bearer: ▸{ type: apiKey, in: heder, name: x }',
    pointer: '#/components/securitySchemes/bearer',
    what: /is in "heder"/u,
  },
  {
    title: 'an API key without a name',
    part: 'bearer: { type: http, scheme: bearer }',
    by: 'bearer: ▸{ type: apiKey, in: header }',
    pointer: '#/components/securitySchemes/bearer',
    what: /has no name of a header/u,
  },
  {
    title: 'an invalid status',
    part: "'204': {",
    by: "▸'20': { description: X. }\n        '204': {",
    pointer: `${remove}/responses/20`,
    what: /"20" is not a status/u,
  },
  {
    title: 'a parameter without a location',
    part: '{ name: limit, in: query',
    by: '▸{ name: limit, in: body',
    pointer: limit,
    what: /"body"/u,
  },
  {
    title: 'a path parameter that is not required',
    part: '{ name: id, in: path, required: true,',
    by: '▸{ name: id, in: path,',
    pointer: `${remove}/parameters/0`,
    what: /always required/u,
  },
  {
    title: 'a path parameter that is not declared',
    part: "    delete:\n      operationId: deleteInsight\n      parameters:\n        - { name: id, in: path, required: true, schema: { type: string, pattern: '^[a-z-]+$' } }",
    by: '    ▸delete:\n      operationId: deleteInsight',
    pointer: remove,
    what: /"id" is not declared/u,
  },
  {
    title: 'an operationId given twice',
    part: 'deleteInsight',
    by: '▸listInsights',
    pointer: `${remove}/operationId`,
    what: /"listInsights" is already the id of/u,
  },
  {
    title: 'a path of the control plane',
    part: 'components:',
    by: "  ▸/__admin/x: { get: { operationId: x, responses: { '200': { description: X. } } } }\ncomponents:",
    pointer: '#/paths/~1__admin~1x',
    what: /\/__admin\/x/u,
  },
  {
    title: 'a path of the sandboxes',
    part: 'components:',
    by: "  ▸/sandboxes/x: { get: { operationId: x, responses: { '200': { description: X. } } } }\ncomponents:",
    pointer: '#/paths/~1sandboxes~1x',
    what: /\/sandboxes\/x/u,
  },
])

test('the valid spec is served', async (t) => {
  const spec = await writeTemporary(t, 'spec.yaml', validSpec)
  const insights = '[{"id":"moss","content":"Moss."}]'
  const callers = '{"ada":{"token":"ada-token"}}'
  const fixture = await writeTemporary(t, 'own.json', `{"$callers":${callers},"insights":${insights}}`)
  const double = await serve(t, { spec, fixture })
  t.is((await get(double, '/insights', as('ada'))).status, 200)
})

test('every problem of a spec is reported with its line', async (t) => {
  const wrong = validSpec.replace('integer', 'int32').replace("'^[a-z-]+$'", "'['").replace('required: [', 'requred: [')
  const lines = (await problemsOf(t, wrong)).map(({ position }) => position?.line)
  t.deepEqual(new Set(lines), new Set([9, 20, 29]))
})

test('the message of a problem is one line with file, position, pointer, error and hint', async (t) => {
  const spec = await writeTemporary(t, 'spec.yaml', validSpec.replace('type: integer', 'type: int32'))
  const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
  const [place, pointer, what, hint, ...others] = error?.message.split('  ') ?? []
  t.is(place, `${spec}:9:53`)
  t.is(pointer, `${limit}/schema/type`)
  t.regex(what ?? '', /^type is "int32"/u)
  t.regex(hint ?? '', /integer/u)
  t.deepEqual(others, [])
})
