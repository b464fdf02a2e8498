/** json-server and WireMock, configured as an Insights service as their documents describe: with files, and with code only to check tokens. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type ComparedServer, installPackages, jsonServerPackage } from '../bench/compared-servers.js'
import { readPackageFile } from '../helpers/files.js'

/** An insight of the default fixture. */
interface Listed {
  readonly id: string
  readonly $access?: readonly string[]
}

interface Fixture {
  readonly $callers: Readonly<Record<string, { readonly token: string }>>
  readonly insights: readonly Listed[]
}

/** Reads the default fixture, which all of them serve. */
export const readFixture = async (): Promise<Fixture> =>
  JSON.parse(await readPackageFile('fixtures/default.json')) as Fixture

/** The insight whose removal is in WireMock's scenario. */
export const removable = 'monstera-watering'

/** Installs json-server in a folder. @throws {Error} npm's registry cannot be reached. */
export async function prepareJsonServer(folder: string): Promise<ComparedServer> {
  const { $callers, insights } = await readFixture()
  if (!(await installPackages(folder, [jsonServerPackage]))) throw new Error(`${jsonServerPackage} is not installed`)
  const [data, routes, middleware] = ['db.json', 'routes.json', 'tokens.cjs'].map((name) => join(folder, name))
  await writeFile(data ?? '', JSON.stringify({ insights: insights.map(withoutAccess) }))
  await writeFile(routes ?? '', JSON.stringify({ '/insights?limit=:limit': '/insights?_limit=:limit' }))
  const tokens = Object.values($callers).map(({ token }) => token)
  const code = `module.exports = (request, response, next) => {
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  if (${JSON.stringify(tokens)}.includes(token)) return next()
  response.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 401, message: 'No valid token.' })
}`
  await writeFile(middleware ?? '', code)
  const script = join(folder, 'node_modules/json-server/lib/cli/bin.js')
  const words = ['--quiet', '--host', '127.0.0.1', '--routes', routes ?? '', '--middlewares', middleware ?? '']
  const command = (port: number): readonly string[] => [script, data ?? '', '--port', `${port}`, ...words]
  return { name: jsonServerPackage, command, path: '/insights' }
}

const wireMockPackage = 'wiremock@3.13.2'

/** Installs WireMock in a folder. It needs Java. @throws {Error} npm's registry cannot be reached. */
export async function prepareWireMock(folder: string): Promise<ComparedServer> {
  if (!(await installPackages(folder, [wireMockPackage]))) throw new Error(`${wireMockPackage} is not installed`)
  const mappings = join(folder, 'mappings')
  await mkdir(mappings)
  await writeFile(join(mappings, 'insights.json'), JSON.stringify({ mappings: createMappings(await readFixture()) }))
  const build = join(folder, 'node_modules/wiremock/build')
  const jar = (await readdir(build)).find((file) => file.endsWith('.jar')) ?? ''
  const words = ['--bind-address', '127.0.0.1', '--root-dir', folder]
  const command = (port: number): readonly string[] => ['-jar', join(build, jar), '--port', `${port}`, ...words]
  return { name: wireMockPackage, program: 'java', command, path: '/insights' }
}

/** WireMock's stubs: the lists of each caller, with each limit, before and after the one removal in its scenario. */
function createMappings({ $callers, insights }: Fixture): readonly object[] {
  const scenario = 'insights'
  const forCaller = ([name, { token }]: readonly [string, { readonly token: string }]): readonly object[] => {
    const headers = { Authorization: { matches: `(?i:bearer) ${token}` } }
    const list = { method: 'GET', urlPath: '/insights', headers }
    const seen = insights.filter(({ $access }) => $access?.includes(name) ?? true).map(withoutAccess)
    const listings = ['Started', 'removed'].flatMap((state) => {
      const present = state === 'Started' ? seen : seen.filter(({ id }) => id !== removable)
      const when = { scenarioName: scenario, requiredScenarioState: state }
      const limited = present.map((_, index) => {
        const request = { ...list, queryParameters: { limit: { equalTo: `${index + 1}` } } }
        return { ...when, priority: 1, request, response: answer(200, present.slice(0, index + 1)) }
      })
      return [{ ...when, priority: 3, request: list, response: answer(200, present) }, ...limited]
    })
    const invalid = { and: [{ matches: '.*' }, { doesNotMatch: '[1-9][0-9]{0,9}' }] }
    const item = (id: string): object => ({ method: 'DELETE', urlPath: `/insights/${id}`, headers })
    const once = { scenarioName: scenario, requiredScenarioState: 'Started', newScenarioState: 'removed' }
    const removals = seen.map(({ id }) => {
      const change = id === removable ? once : {}
      return { priority: 1, ...change, request: item(id), response: { status: 204 } }
    })
    const unknown = { method: 'DELETE', urlPathPattern: '/insights/[A-Za-z0-9._~-]{1,128}', headers }
    return [
      ...listings,
      { priority: 2, request: { ...list, queryParameters: { limit: invalid } }, response: refusal(400) },
      ...removals,
      { priority: 2, request: unknown, response: refusal(404) },
    ]
  }
  const anonymous = { method: 'ANY', urlPathPattern: '/insights(/.*)?' }
  return [
    ...Object.entries($callers).flatMap(forCaller),
    { priority: 5, request: anonymous, response: refusal(401, { 'WWW-Authenticate': 'Bearer' }) },
    { priority: 6, request: { method: 'ANY', urlPattern: '.*' }, response: refusal(404) },
  ]
}

const answer = (status: number, jsonBody: unknown, headers: Readonly<Record<string, string>> = {}): object => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  jsonBody,
})

const refusal = (status: number, headers?: Readonly<Record<string, string>>): object =>
  answer(status, { error: status, message: 'Refused by a stub.' }, headers)

const withoutAccess = ({ $access: _access, ...record }: Listed): { readonly id: string } => record
