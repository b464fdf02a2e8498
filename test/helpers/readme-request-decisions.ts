/** The decisions of the README about requests and refusals, and the test of each. */
import { asObject } from './as-object-or-list.js'
import { serveChanged } from './double.js'
import { as, ask, assertError, get, json, raw, violationsOf, wire } from './http.js'
import { readFixture, visibleIn } from './package-fixtures.js'
import type { Decision } from './readme-insight-decisions.js'

const seen = '/insights/monstera-watering'
const never = '/insights/never-was'

/** By the first cell of their rows. */
export const requestDecisions: Readonly<Record<string, Decision>> = {
  'missing or malformed credential': {
    places: { '#/components/responses/Unauthorized': /401 with\s+`WWW-Authenticate: Bearer`/u },
    says: /^(\d+), `WWW-Authenticate: (.+)`$/u,
    holds: async (t, double, [status, challenge]) => {
      for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer' }]) {
        const reply = await get(double, '/insights', headers)
        assertError(t, reply, Number(status))
        t.is(reply.headers['www-authenticate'], challenge)
      }
    },
  },
  'unknown token': {
    places: {
      '#/components/responses/Unauthorized/headers/WWW-Authenticate': /error="invalid_token".*case-insensitive/su,
    },
    says: /^(\d+), `WWW-Authenticate: (.+)`\. The scheme is case-insensitive$/u,
    holds: async (t, double, [status, challenge]) => {
      const reply = await get(double, '/insights', as('nobody'))
      assertError(t, reply, Number(status))
      t.is(reply.headers['www-authenticate'], challenge)
      for (const scheme of ['bearer', 'BEARER'])
        t.is((await get(double, '/insights', { authorization: `${scheme} ada-token` })).status, 200, scheme)
    },
  },
  'order of checks': {
    places: { '#': /route .*credential .*request .*state/isu },
    says: /^route \((\d+), (\d+)\), credential \((\d+)\), request \((\d+)\), state \((\d+)\)$/u,
    holds: async (t, double, said) => {
      const body = ['Content-Type: text/plain', 'Content-Length: 2']
      const credential = 'Authorization: Bearer ada-token'
      const wires: readonly string[] = [
        wire('DELETE /nowhere/never-was', body, 'hi'),
        wire(`PUT ${never}`, body, 'hi'),
        wire(`DELETE ${never}`, body, 'hi'),
        wire(`DELETE ${never}`, [credential, ...body], 'hi'),
        wire(`DELETE ${never}`, [credential]),
      ]
      t.is(said.length, wires.length)
      for (const [index, request] of wires.entries()) assertError(t, await raw(double, request), Number(said[index]))
    },
  },
  '`error` number': {
    places: { '#/components/schemas/Error/properties/error': /HTTP status/u },
    says: /^the HTTP status code$/u,
    holds: async (t, double) => {
      assertError(t, await get(double, '/insights?limit=0', as('ada')), 400)
      assertError(t, await get(double, '/insights'), 401)
      assertError(t, await get(double, '/nowhere'), 404)
      assertError(t, await ask(double, 'PUT', '/insights'), 405)
    },
  },
  'undocumented query parameter': {
    places: { '#/paths/~1insights/get': /undocumented query parameter.*serves the request.*warning/su },
    says: /^served, with a warning$/u,
    holds: async (t, double) => {
      const reply = await get(double, '/insights?sort=title', as('ada'))
      t.is(reply.status, 200)
      t.deepEqual(
        violationsOf(reply).map(({ severity }) => severity),
        ['Warning'],
      )
    },
  },
  'request body on GET or DELETE': {
    places: { '#/components/responses/BadRequest': /request body.*refuses it with 400/su },
    says: /^(\d+)$/u,
    holds: async (t, double, [status = '']) => {
      const fields = ['Authorization: Bearer ada-token', 'Content-Type: application/json', 'Content-Length: 2']
      for (const line of ['GET /insights', `DELETE ${seen}`])
        assertError(t, await raw(double, wire(line, fields, '{}')), Number(status))
    },
  },
  'access to an insight, and how a token is obtained': {
    places: {
      '#/components/securitySchemes/bearer':
        /fixture lists the callers, their\s+tokens, and the callers that have access/u,
    },
    says: /^the fixture says it; the token `(.)` accepts any token that no other caller has$/u,
    holds: async (t, double, [any = '']) => {
      const fixture = await readFixture('default.json')
      for (const [name, caller] of Object.entries(asObject(fixture['$callers']))) {
        const headers = { authorization: `Bearer ${String(asObject(caller)['token'])}` }
        t.deepEqual(json(await get(double, '/insights', headers)), visibleIn(fixture, name), name)
      }
      await double.setState({ $callers: { ada: { token: 'ada-token' }, others: { token: any } }, insights: [] })
      t.is((await get(double, '/insights', as('nobody'))).status, 200)
    },
  },
  'failure of the service': {
    places: { '#/components/responses/Failed': /response would break this contract.*cannot save its state/su },
    says: /^(\d+), if a response would break the contract or the state file cannot be written$/u,
    holds: async (t, _, [status]) => {
      const double = await serveChanged(t, (spec) => {
        const schema = ['responses', '200', 'content', 'application/json', 'schema']
        spec.setIn(['paths', '/insights', 'get', ...schema, 'maxItems'], 1)
      })
      assertError(t, await get(double, '/insights', as('ada')), Number(status))
    },
  },
}
