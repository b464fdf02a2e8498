import { testOnDouble } from './helpers/double.js'
import { assertError, raw, wire } from './helpers/http.js'

/** Requests with two errors. The response is about the error that is checked first. */
const ordered: readonly (readonly [title: string, status: number, lines: readonly string[], body?: string])[] = [
  ['an unknown path is reported before a missing token', 404, ['GET /nowhere']],
  ['an unknown path is reported before an undocumented body', 404, ['GET /nowhere', 'Content-Length: 2'], '{}'],
  ['a wrong method is reported before a missing token', 405, ['POST /insights']],
  ['a wrong method is reported before a wrong id', 405, ['GET /insights/a%20b']],
  ['a missing token is reported before a wrong limit', 401, ['GET /insights?limit=abc']],
  ['a missing token is reported before a wrong id', 401, ['DELETE /insights/a%20b']],
  ['a missing token is reported before an id that cannot be decoded', 401, ['DELETE /insights/%']],
  ['a missing token is reported before an unknown id', 401, ['DELETE /insights/never-was']],
  ['a missing token is reported before an undocumented body', 401, ['GET /insights', 'Content-Length: 2'], '{}'],
  ['an unknown token is reported before a wrong limit', 401, ['GET /insights?limit=0', 'Authorization: Bearer x']],
  ['a wrong id is reported before an unknown one', 400, ['DELETE /insights/a%20b', 'Authorization: Bearer ada-token']],
  [
    'an undocumented body is reported before an unknown id',
    400,
    ['DELETE /insights/never-was', 'Authorization: Bearer ada-token', 'Content-Length: 2'],
    '{}',
  ],
]
for (const [title, status, [line = '', ...headers], body] of ordered)
  testOnDouble(title, async (t, double) => {
    const reply = await raw(double, wire(line, [...headers, 'Connection: close'], body))
    assertError(t, reply, status)
    t.is(reply.headers['www-authenticate'] !== undefined, status === 401)
    t.is(reply.headers['allow'] !== undefined, status === 405)
  })
