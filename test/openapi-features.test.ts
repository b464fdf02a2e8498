import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import type { JsonObject } from './helpers/double.js'
import { asObject, readSpec, startDouble } from './helpers/double.js'
import type { Reply } from './helpers/http.js'
import { raw, violationsOf, wire } from './helpers/http.js'
import { judgeBy } from './helpers/judged.js'
import { bodyFeatures } from './helpers/openapi-features/bodies.js'
import type { Attempt, Feature } from './helpers/openapi-features/feature.js'
import { formFeatures } from './helpers/openapi-features/forms.js'
import { fieldFeatures, pathFeatures } from './helpers/openapi-features/places.js'
import { queryFeatures } from './helpers/openapi-features/query.js'
import { schemaFeatures } from './helpers/openapi-features/schemas.js'

const features = [
  ...queryFeatures,
  ...pathFeatures,
  ...fieldFeatures,
  ...bodyFeatures,
  ...formFeatures,
  ...schemaFeatures,
]
const versions = ['3.0.4', '3.1.1'] as const
const doubles = new Map<string, DoubleHandle>()
const versionOf = ({ clause }: Feature): string => (clause.startsWith('3.0.4') ? '3.0.4' : '3.1.1')
const hasPath = ({ legal }: Feature): boolean => legal.some(({ path }) => path !== undefined)
const pathOf = (feature: Feature): string => `/features/${features.indexOf(feature)}`
const methodOf = ({ operation }: Feature): string => (operation['requestBody'] ? 'POST' : 'GET')

let folder = ''
test.before('start a double for each version of OpenAPI', async () => {
  folder = await mkdtemp(join(tmpdir(), 'insights-double-test-'))
  for (const version of versions) {
    const spec = join(folder, `${version}.json`)
    await writeFile(spec, JSON.stringify(await specOf(version)))
    const double = await startDouble({ spec })
    doubles.set(version, double)
    judgeBy(double, spec)
    // The first example loads Prism's generator, and the double reads nothing else meanwhile.
    const first = features.find((feature) => versionOf(feature) === version)
    if (first) await send(first, {})
  }
})
test.after.always('stop them', async () => {
  for (const double of doubles.values()) await double.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The package's spec with an operation for each feature. No operation has a handler, so the example answers what is legal. */
async function specOf(version: string): Promise<JsonObject> {
  const spec = await readSpec()
  const error = { $ref: '#/components/schemas/Error' }
  const responses = {
    '200': { description: 'Legal.', content: { 'application/json': { schema: {}, example: 'legal' } } },
    default: { description: 'Illegal.', content: { 'application/json': { schema: error } } },
  }
  const paths = features
    .filter((feature) => versionOf(feature) === version)
    .map((feature) => {
      const operationId = `feature${features.indexOf(feature)}`
      const operation = { operationId, security: [], responses, ...feature.operation }
      return [pathOf(feature) + (hasPath(feature) ? '/{p}' : ''), { [methodOf(feature).toLowerCase()]: operation }]
    })
  return { ...spec, openapi: version, paths: { ...asObject(spec['paths']), ...asObject(Object.fromEntries(paths)) } }
}

async function send(feature: Feature, { body, headers = [], path, query }: Attempt): Promise<Reply> {
  const double = doubles.get(versionOf(feature))
  if (!double) throw new Error('There is no double')
  const target = `${pathOf(feature)}${hasPath(feature) ? `/${path ?? ''}` : ''}${query === undefined ? '' : `?${query}`}`
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.of())
  const length = body === undefined ? [] : [`Content-Length: ${bytes.length}`]
  const head = wire(`${methodOf(feature)} ${target}`, [...headers, ...length, 'Connection: close'])
  return raw(double, Buffer.concat([Buffer.from(head), bytes]))
}

const show = ({ body, headers, path, query }: Attempt): string =>
  JSON.stringify({
    path,
    query,
    headers,
    body: typeof body === 'string' ? body : body && Buffer.from(body).toString('latin1'),
  })

function assertLegal(t: ExecutionContext, attempt: Attempt, reply: Reply): void {
  t.is(reply.status, 200, `${show(attempt)} is legal: ${reply.text}`)
  t.is(reply.headers['x-double'], 'mocked')
  const errors = violationsOf(reply).filter(({ severity }) => severity === 'Error')
  t.deepEqual(errors, [], show(attempt))
}

function assertIllegal(t: ExecutionContext, attempt: Attempt, reply: Reply): void {
  t.is(reply.status, attempt.status ?? 400, `${show(attempt)} is illegal: ${reply.text}`)
  const [violation] = violationsOf(reply)
  t.is(violation?.['severity'], 'Error', show(attempt))
  t.regex(JSON.stringify(violation?.['location']), /^\["request",/u)
}

for (const feature of features) {
  const { clause, illegal, legal, title } = feature
  test.serial(`${title} (${clause})`, async (t) => {
    for (const attempt of legal) assertLegal(t, attempt, await send(feature, attempt))
    for (const attempt of illegal) assertIllegal(t, attempt, await send(feature, attempt))
  })
}

test('the table has its rows: each has a clause, and a legal or an illegal value', (t) => {
  t.true(features.length >= 80)
  t.is(new Set(features.map(({ title }) => title)).size, features.length)
  for (const { clause, illegal, legal } of features) {
    t.regex(clause, /^(?:3\.0\.4|3\.1\.1|RFC \d+) /u)
    t.true(legal.length + illegal.length > 0)
  }
})
