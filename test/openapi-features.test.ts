import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { startDouble } from './helpers/double.js'
import { raw, type Reply, violationsOf } from './helpers/http.js'
import { type Attempt, type Feature, featureRequest, features, featureSpec } from './helpers/openapi-features.js'
import { validateWith } from './helpers/validate-responses.js'

const versions = ['3.0.4', '3.1.1'] as const
const doubles = new Map<string, DoubleHandle>()

let folder = ''
test.before('start a double for each version of OpenAPI', async () => {
  folder = await mkdtemp(join(tmpdir(), 'insights-double-test-'))
  for (const version of versions) {
    const spec = join(folder, `${version}.json`)
    await writeFile(spec, JSON.stringify(await featureSpec(version)))
    const double = await startDouble({ spec })
    doubles.set(version, double)
    validateWith(double, spec)
    // The first example loads Prism's generator, which blocks the double.
    const first = features.find((feature) => feature.version === version)
    if (first) await send(first, {})
  }
})
test.after.always('stop them', async () => {
  for (const double of doubles.values()) await double.stop()
  await rm(folder, { recursive: true, force: true })
})

async function send(feature: Feature, attempt: Attempt): Promise<Reply> {
  const double = doubles.get(feature.version)
  if (!double) throw new Error('There is no double')
  return raw(double, featureRequest(feature, attempt, ['Connection: close']).bytes)
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
  const { illegal, legal, title } = feature
  test.serial(title, async (t) => {
    for (const attempt of legal) assertLegal(t, attempt, await send(feature, attempt))
    for (const attempt of illegal) assertIllegal(t, attempt, await send(feature, attempt))
  })
}

test('every feature has a section of the specification, and a legal or an illegal value', (t) => {
  t.true(features.length >= 80)
  for (const { illegal, legal, title } of features) {
    t.regex(title, /\((?:3\.0\.4|3\.1\.1|RFC \d+) .*\)$/u)
    t.true(legal.length + illegal.length > 0)
  }
})
