import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { run } from './helpers/cli.js'
import { packageFolder } from './helpers/package-folder.js'
import { readJunit } from './helpers/read-junit.js'
import { temporaryFolder, writeTemporary } from './helpers/temporary-files.js'
import { serveInsights, someInsights, tokens } from './verify/insights-service.js'

test('verify writes reports in every format and the overlay, and exits with 1 if it finds a difference', async (t) => {
  const service = await serveInsights(t, someInsights(), { minimum: 0 })
  const folder = await temporaryFolder(t)
  const env = { ADA_TOKEN: tokens['ada'] ?? '', GATEWAY_KEY: 'Real-Key-Of-The-Gateway-3d' }
  const words = ['verify', service.url, '--caller', 'ada=env:ADA_TOKEN', '--header', 'x-key: env:GATEWAY_KEY']
  words.push('--pace', '10000')
  for (const extension of ['json', 'md', 'xml']) {
    const file = join(folder, `report.${extension}`)
    const overlay = join(folder, `overlay-${extension}.yaml`)
    const only = ['--only', 'listInsights:limit-below-minimum']
    const { code, stderr, stdout } = await run(t, [...words, ...only, '--report', file, '--apply', overlay], { env })
    t.is(code, 1, stderr)
    const sent = '-H "x-key: $GATEWAY_KEY" -H "authorization: Bearer $ADA_TOKEN"'
    t.true(stdout.includes(`curl -i ${sent} '${service.url}/insights?limit=0'`), stdout)
    t.true(service.log.every(({ headers }) => headers['x-key'] === env.GATEWAY_KEY))
    t.regex(stdout, /double:\n {4}400 {3}<-- differs/u)
    t.regex(stdout, /edit: `minimum: 1` → `0` at .*insights\.yaml:\d+\n/u)
    const text = await readFile(file, 'utf8')
    for (const each of [text, stdout, stderr]) for (const secret of Object.values(env)) t.false(each.includes(secret))
    t.true(text.includes('listInsights:limit-below-minimum'))
    t.regex(await readFile(overlay, 'utf8'), /minimum: 0/u)
    if (extension !== 'xml') continue
    const [testCase] = await readJunit(text)
    t.is(testCase?.result, 'failed')
    t.regex(testCase?.message ?? '', /^the service answers 200, the double 400 \(.*insights\.yaml:\d+\)$/u)
  }
  const both = join(folder, 'both.yaml')
  const again = ['--overlay', join(folder, 'overlay-md.yaml'), '--apply', both]
  service.reset(someInsights(), { minimum: 0, deletedStatus: 200 })
  service.mayChange = true
  const may = ['--may', 'deleteInsight=in-1', '--only', 'deleteInsight:removes-1']
  const second = await run(t, [...words, ...again, ...may], { env })
  t.is(second.code, 1, second.stderr)
  t.regex(await readFile(both, 'utf8'), /minimum: 0[^]*\['204'\]/u)
  service.reset(someInsights())
  service.mayChange = false
  const agreed = await run(t, [...words, '--only', 'listInsights:limit-below-minimum'], { env })
  t.is(agreed.code, 0, agreed.stdout)
  service.reset(someInsights())
  const plan = await run(t, [...words, '--plan'], { env })
  t.is(service.log.length, 0)
  t.regex(plan.stdout, /^ {2}GET \/insights\?limit=0$/mu)
})

test('invalid arguments are refused with one sentence', async (t) => {
  const service = await serveInsights(t)
  const caller = ['--caller', 'ada=env:ADA_TOKEN', '--pace', '10000']
  const env = { ADA_TOKEN: tokens['ada'] ?? '' }
  const nothing = await writeTemporary(
    t,
    'nothing.yaml',
    'openapi: 3.1.0\ninfo: { title: None, version: 1.0.0 }\npaths: { /x: { post: { responses: { "204": { description: Done. } } } } }\n',
  )
  const plants = join(packageFolder, 'test/specs/plants.yaml')
  const cases: readonly (readonly [words: readonly string[], message: RegExp, sends?: true])[] = [
    [['verify'], /^verify needs the URL of the service/u],
    [['verify', service.url], /^The contract needs a credential/u],
    [['verify', service.url, ...caller, '--may', 'deleteInsigth'], /^--may: .* did you mean deleteInsight\?/u],
    [
      ['verify', service.url, ...caller, '--may', 'deleteInsight=no-such-id'],
      /^--may: no listing of insights has the id "no-such-id"/mu,
      true,
    ],
    [['verify', service.url, ...caller, '--only', 'listInsigths'], /^--only: .* did you mean listInsights\?/mu, true],
    [['verify', service.url, ...caller, '--report', 'report.html'], /^--report must name a/u],
    [
      ['verify', service.url, '--caller', 'ada=env:NOT_SET'],
      /^--caller: the environment variable NOT_SET is not set\.$/mu,
    ],
    [['verify', service.url, ...caller, '--apply', nothing], /^--apply: .* exists\. Use --force to replace it\.$/mu],
    [
      ['verify', service.url, ...caller, '--spec', plants, '--may', 'createPlant'],
      /^--may: createPlant creates records, and they have to be removed again; add --may removePlant\.$/mu,
    ],
    [['verify', service.url, '--spec', nothing], /nothing to verify/u],
    [['verify', 'http://127.0.0.1:1', ...caller], /refuses connections/u],
  ]
  for (const [words, message, sends] of cases) {
    service.reset(someInsights())
    const { code, stderr } = await run(t, words, { env })
    t.is(code, 2, words.join(' '))
    t.regex(stderr, message)
    t.is(service.log.length > 0, sends === true, words.join(' '))
    t.true(service.log.every(({ method, url }) => method === 'GET' && url.startsWith('/insights')))
  }
})
