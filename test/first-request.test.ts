/** Tests the command of curl in the start message, in a shell, for each kind of credential. */
import type { ExecutionContext } from 'ava'
import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { writeTemporary } from './helpers/files.js'
import { plantsSpec } from './helpers/plants-spec.js'
import { shell } from './helpers/shell.js'

const bearer = { type: 'http', scheme: 'bearer' }
const basic = { type: 'http', scheme: 'basic' }
const header = { type: 'apiKey', in: 'header', name: 'X-Api-Key' }
const query = { type: 'apiKey', in: 'query', name: 'api key' }
const cookie = { type: 'apiKey', in: 'cookie', name: 'sid' }
const oauth = { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://shop.example', scopes: {} } } }

const withBearer = 'curl -H "Authorization: Bearer demo-token" http://'
const withKey = 'curl -H "X-Api-Key: '

type Schemes = Readonly<Record<string, object>>
type Security = readonly Readonly<Record<string, readonly string[]>>[]

const specWith = (t: ExecutionContext, schemes: Schemes, security: Security): Promise<string> => {
  const { components, ...others } = plantsSpec()
  const spec = { ...others, security, components: { ...asObject(components ?? {}), securitySchemes: schemes } }
  return writeTemporary(t, 'plants.json', JSON.stringify(spec))
}

/** The schemes, the combinations, the line of the token, and the options of curl. */
const cases: readonly (readonly [
  title: string,
  schemes: Schemes,
  security: Security | undefined,
  token: string | undefined,
  options: string,
])[] = [
  ['none', {}, undefined, undefined, 'curl http://'],
  ['bearer', { bearer }, undefined, 'demo-token (demo), as bearer token', withBearer],
  ['basic', { basic }, undefined, 'demo:demo (demo), as user and password (basic)', 'curl -u demo:demo http://'],
  ['a header', { header }, undefined, 'demo-token (demo), as header X-Api-Key', `${withKey}demo-token" http://`],
  ['a query parameter', { query }, undefined, 'demo-token (demo), as query parameter api key', 'curl "http://'],
  ['a cookie', { cookie }, undefined, 'demo-token (demo), as cookie sid', 'curl -H "cookie: sid=demo-token" http://'],
  ['OAuth 2', { oauth }, undefined, 'demo-token (demo), as bearer token', withBearer],
  ['a combination', { header, query, cookie }, [{ header: [], query: [], cookie: [] }], undefined, withKey],
  [
    'basic and a header',
    { basic, header },
    [{ basic: [], header: [] }],
    undefined,
    'curl -u demo:demo -H "X-Api-Key: ',
  ],
  ['an optional one', { header }, [{}, { header: [] }], 'demo-token (demo), as header X-Api-Key', withKey],
]

for (const [title, schemes, security, token, options] of cases) {
  test(`the command works with ${title}`, async (t) => {
    const spec = await specWith(t, schemes, security ?? Object.keys(schemes).map((name) => ({ [name]: [] })))
    const { ready } = await serveByCommand(t, [spec, '--memory'])
    if (token !== undefined) t.true(ready.includes(`\n  token    ${token}\n`), ready)
    const [, command = ''] = /^ {2}try +(curl .*)$/mu.exec(ready) ?? []
    t.true(command.startsWith(options), command)
    const { code, stderr, stdout } = await shell(t, `${command} -sSf`)
    t.is(code, 0, stderr)
    t.is(asList(JSON.parse(stdout)).length, 5)
  })
}
