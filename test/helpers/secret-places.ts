/** The places where a client can put a token, and a search for a token in any encoding. Independent of the redaction of the double. */
import { wire } from './http.js'

export interface SecretPlace {
  readonly title: string
  readonly request: (token: string) => string
  /** True for a request to the control plane, which the journal does not record. */
  readonly isControl?: boolean
  /** True if the token may only have characters of header names. */
  readonly isName?: boolean
  /** True if the token is so long that messages cut it. */
  readonly isLong?: boolean
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const base64url = (text: string): string => Buffer.from(text).toString('base64url')
const percent = (text: string): string =>
  Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('')
const partly = (text: string): string =>
  Array.from(text, (character, at) =>
    at % 3 && /\w/u.test(character) ? character : percent(character).toUpperCase(),
  ).join('')
const unicode = (text: string): string =>
  Array.from(text, (character) => String.raw`\u00` + character.charCodeAt(0).toString(16)).join('')

const ada = 'Authorization: Bearer ada-token'
const close = 'Connection: close'
const get = (target: string, ...fields: readonly string[]): string => wire(`GET ${target}`, [close, ...fields])
const asAda = (target: string, ...fields: readonly string[]): string => get(target, ada, ...fields)
const send = (line: string, body: string, type = 'application/json'): string =>
  wire(line, [close, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`], body)
const putState = ($callers: object, insight: object): string =>
  send('PUT /__admin/state', JSON.stringify({ $callers, insights: [insight] }))

const place = (title: string, request: SecretPlace['request'], more: Partial<SecretPlace> = {}): SecretPlace => ({
  title,
  request,
  ...more,
})
const control = (title: string, request: SecretPlace['request']): SecretPlace => ({ title, request, isControl: true })

export const secretPlaces: readonly SecretPlace[] = [
  place('Authorization', (token) => get('/insights', `Authorization: Bearer ${token}`)),
  place('Authorization without a scheme', (token) => get('/insights', `Authorization: ${token}`)),
  place('Basic credentials', (token) => get('/insights', `Authorization: Basic ${base64(`ada:${token}`)}`)),
  place('a second Authorization', (token) => asAda('/insights', `Authorization: Bearer ${token}`)),
  place('Proxy-Authorization', (token) => asAda('/insights', `Proxy-Authorization: Bearer ${token}`)),
  place('a cookie', (token) => asAda('/insights', `Cookie: theme=dark; session=${token}`)),
  place('X-Auth-Token', (token) => asAda('/insights', `X-Auth-Token: ${token}`)),
  place('X-API-Key', (token) => asAda('/insights', `X-API-Key: ${token}`)),
  place('a header of any name', (token) => asAda('/insights', `X-Debug: Bearer ${token}, and more`)),
  place('a header, in Base64', (token) => asAda('/insights', `X-Debug: ${base64(token)}`)),
  place('a header, in Base64 behind one byte', (token) => asAda('/insights', `X-Debug: ${base64(`:${token}`)}`)),
  place('a header, in Base64url behind two bytes', (token) =>
    asAda('/insights', `X-Debug: ${base64url(`u:${token}:`)}`),
  ),
  place('a header, JSON-escaped', (token) => asAda('/insights', `X-Debug: {"t": "${unicode(token)}"}`)),
  place('a header name', (token) => asAda('/insights', `${token}: yes`), { isName: true }),
  place('User-Agent', (token) => asAda('/insights', `User-Agent: app/${token}`)),
  place('Referer', (token) => asAda('/insights', `Referer: http://app.example/${percent(token)}?access_token=x`)),
  place('Insights-Sandbox', (token) => asAda('/insights', `Insights-Sandbox: ${token}`)),
  place('Prefer: example', (token) => asAda('/insights', `Prefer: code=200, example="${token}"`)),
  place('Prefer: code', (token) => asAda('/insights', `Prefer: code=${token}`)),
  place('Expect', (token) => asAda('/insights', `Expect: ${token}`)),
  place('a refused parameter', (token) => asAda(`/insights?limit=${encodeURIComponent(token)}`)),
  place('a refused parameter, raw', (token) => asAda(`/insights?limit=Bearer%20${token}`), { isName: true }),
  place('a refused parameter, all of it percent-encoded', (token) => asAda(`/insights?limit=${percent(token)}`)),
  place('a refused parameter, percent-encoded twice', (token) =>
    asAda(`/insights?limit=${percent(token).replaceAll('%', '%25')}`),
  ),
  place('a refused parameter, in Base64', (token) => asAda(`/insights?limit=${encodeURIComponent(base64(token))}`)),
  place('a refused parameter, given twice', (token) => asAda(`/insights?limit=1&limit=${partly(token)}`)),
  place('a refused parameter that is cut', (token) => asAda(`/insights?limit=${token}`), { isLong: true }),
  place('access_token', (token) => asAda(`/insights?access_token=${encodeURIComponent(token)}`)),
  place('api_key', (token) => asAda(`/insights?api%5Fkey=${encodeURIComponent(token)}`)),
  place('the name of a parameter', (token) => asAda(`/insights?${percent(token)}=1`)),
  place('a target that is cut', (token) => asAda(`/insights?x=${'x'.repeat(2030)}${token}`), { isLong: true }),
  place('an unknown path', (token) => asAda(`/insights/of/${partly(token)}`)),
  place('a wrong method of a path', (token) => wire(`PUT /insights/${partly(token)}`, [close, ada])),
  place('an id', (token) => wire(`DELETE /insights/${encodeURIComponent(token)}`, [close, ada])),
  place('an id that is no UTF-8', (token) => wire(`DELETE /insights/%ff${partly(token)}`, [close, ada])),
  place('the path of a sandbox', (token) => asAda(`/sandboxes/${partly(token)}/insights`)),
  place('user information', (token) => asAda(`http://ada:${encodeURIComponent(token)}@localhost/insights`)),
  place('a preflight', (token) =>
    wire('OPTIONS /insights', [close, 'Origin: http://a.example', 'Access-Control-Request-Method: GET', `X: ${token}`]),
  ),
  control('Host', (token) => `GET /__admin/state HTTP/1.1\r\nHost: ${token}.example\r\n${close}\r\n\r\n`),
  control('an unknown control path', (token) => get(`/__admin/${partly(token)}`)),
  control('a sandbox of a sandbox', (token) => get(`/sandboxes/mine/__admin/sandboxes?x=${partly(token)}&token=abc`)),
  control('an unknown fault', (token) => wire(`DELETE /__admin/faults/${partly(token)}`, [close])),
  control('an unknown request', (token) => get(`/__admin/requests/${partly(token)}`)),
  control('a filter', (token) => get(`/__admin/requests?status=${partly(token)}`)),
  control('a media type', (token) => send('PUT /__admin/state', '{}', token)),
  control('a body that is not JSON', (token) => send('PUT /__admin/state', `{"a": ${token}}`)),
  control('a body that is a token', (token) => send('POST /__admin/faults', token)),
  control('a body that ends early', (token) => send('POST /__admin/faults', `{"operation": "${token}`)),
  control('the operation of a fault', (token) => send('POST /__admin/faults', JSON.stringify({ operation: token }))),
  control('the operation of a fault, JSON-escaped', (token) =>
    send('POST /__admin/faults', `{"operation": "${unicode(token)}"}`),
  ),
  control('a property of a fault', (token) => send('POST /__admin/faults', JSON.stringify({ [token]: 1 }))),
  control('the fixture of a reset', (token) => send('POST /__admin/reset', JSON.stringify({ fixture: token }))),
  control('the name of a sandbox', (token) => send('POST /__admin/sandboxes', JSON.stringify({ name: `${token} !` }))),
  control('a state with a token twice', (token) =>
    putState({ a: { token }, b: { token } }, { content: 'x', id: token, $access: [token] }),
  ),
  control('a state with an unknown key', (token) => putState({ a: { token: 'x' } }, { content: 'x', [token]: 1 })),
]

/** Tells whether a text contains a token: plain, encoded any number of times, or in Base64. */
export const holds = (text: string, token: string): boolean => finderIn(text)(token)

/** Decodes a text once in every way. @returns A function that tells whether a decoded text contains a token. */
export function finderIn(text: string): (token: string) => boolean {
  const fromHex = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))
  const unescaped = text.replaceAll(/\\+u([\da-f]{4})/giu, fromHex).replaceAll(/\\+(?=[/"])/gu, '')
  const once = unescaped.replaceAll(/%([\da-f]{2})/giu, fromHex)
  const twice = once.replaceAll(/%([\da-f]{2})/giu, fromHex)
  const words = [...`${unescaped}\n${twice}`.matchAll(/[A-Za-z0-9+/_-]{8,}=*/gu)].map(([word]) => word)
  const fromBase64 = words.map((word) => Buffer.from(word, 'base64').toString('latin1')).join('\n')
  const everything = [unescaped, once, twice, fromBase64].join('\n').toLowerCase()
  // A message that cut a long token contains the start of it.
  return (token) => everything.includes((token.length > 100 ? token.slice(0, 16) : token).toLowerCase())
}
