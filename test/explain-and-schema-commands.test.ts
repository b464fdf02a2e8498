import { join } from 'node:path'

import test from 'ava'

import { explainResources } from '#src/resources/explain.js'
import { loadService } from '#src/resources/load-service.js'

import { pluck } from './helpers/as-object-or-list.js'
import { exits, run } from './helpers/cli.js'
import { changedSpec, serve } from './helpers/double.js'
import { packageFolder, readPackageFile } from './helpers/files.js'

test('explain prints the role of each operation, and its line in the spec', async (t) => {
  const { code, stderr, stdout } = await run(t, ['explain'])
  t.deepEqual([code, stderr], [0, ''])
  const lines = (await readPackageFile('spec/insights.yaml')).split('\n')
  const [get, remove] = ['    get:', '    delete:'].map((line) => lines.indexOf(line) + 1)
  const row = `^listInsights +GET /insights +list +collection insights, by id .*insights\\.yaml:${get}$`
  t.regex(stdout, new RegExp(row, 'mu'))
  t.regex(stdout, new RegExp(`^deleteInsight +DELETE /insights/\\{id\\} +remove .*insights\\.yaml:${remove}$`, 'mu'))
})

test('explain marks stateful operations as certain or inferred', async (t) => {
  const service = await loadService(join(packageFolder, 'spec/insights.yaml'))
  const decisions = new Map(
    [...service.resources.decisions].map(([operation, decision]) => [
      operation,
      'match' in decision && decision.role === 'list'
        ? { ...decision, match: { ...decision.match, basis: 'inferred' as const } }
        : decision,
    ]),
  )
  const { operations } = explainResources({ ...service, resources: { ...service.resources, decisions } })
  t.deepEqual(pluck(operations, 'basis'), ['inferred', 'certain'])
})

test('explain lists the parameters without an effect', async (t) => {
  const spec = await changedSpec(t, (document) => {
    const parameter = { name: 'view', in: 'query', schema: { type: 'string' } }
    document.addIn(['paths', '/insights', 'get', 'parameters'], parameter)
  })
  const { stdout } = await run(t, ['explain', '--spec', spec])
  t.regex(stdout, /^Validated, but not acted on:\n {2}listInsights: view$/mu)
})

test('explain names the examples that do not fit their schemas', async (t) => {
  const spec = await changedSpec(t, (document) => {
    const content = { schema: { type: 'integer' }, examples: { two: { value: 2 }, word: { value: 'x' } } }
    const responses = { 200: { description: 'A number.', content: { 'application/json': content } } }
    document.setIn(['paths', '/number'], { get: { operationId: 'getNumber', responses } })
  })
  const { stdout } = await run(t, ['explain', '--spec', spec])
  const told =
    /^Examples that do not fit their schemas, so they are not sent:\n {2}getNumber 200 word: Response body must be integer\.$/mu
  t.regex(stdout, told)
  t.notRegex((await run(t, ['explain'])).stdout, /Examples that do not fit/u)
})

test('explain --json prints the response of GET /__admin/collections', async (t) => {
  const { stdout } = await run(t, ['explain', '--json'])
  t.deepEqual(JSON.parse(stdout), await (await serve(t)).collections())
})

test('schema prints the JSON Schema of fixtures that is in the package', async (t) => {
  const { stdout } = await exits(t, 0, ['schema'])
  t.is(stdout, await readPackageFile('spec/fixture.schema.json'))
})

test('schema does not have the flag --json', async (t) => {
  const { stderr } = await exits(t, 2, ['schema', '--json'])
  t.regex(stderr, /--json is a flag of check, explain, requests/u)
})
