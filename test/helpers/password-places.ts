/** The places where a client can put a password that `test/specs/passwords.yaml` documents, and where a service can return one. */

export interface PasswordPlace {
  readonly title: string
  /** The request line without the version. */
  readonly line: (password: string) => string
  readonly fields: (password: string) => readonly string[]
  readonly body?: (password: string) => Uint8Array
}

type Text = (password: string) => string

const none = (): readonly string[] => []

/** A place in the request line. */
const inLine = (line: Text): PasswordPlace => ({ title: line('PASSWORD'), line, fields: none })

/** A place in a header field. */
const inField = (field: Text): PasswordPlace => ({
  title: field('PASSWORD'),
  line: () => 'GET /doors',
  fields: (password) => [field(password)],
})

/** A place in a body. @param type - Empty: the request has no Content-Type. */
const inBody = (type: string, text: Text | ((password: string) => Uint8Array), path = '/doors'): PasswordPlace => {
  const body = (password: string): Uint8Array => {
    const made = text(password)
    return typeof made === 'string' ? Buffer.from(made) : made
  }
  const title = `${path} ${type} ${Buffer.from(body('PASSWORD')).toString()}`
  return { title, line: () => `POST ${path}`, fields: () => (type === '' ? [] : [`Content-Type: ${type}`]), body }
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=b'
const xml = 'application/xml'
const disposition = 'Content-Disposition: form-data; name="opener"'

/** A multipart form with one part. */
const part = (head: string, value: string, end = '\r\n--b--\r\n'): string => `--b\r\n${head}\r\n\r\n${value}${end}`

const escaped = (text: string): string =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const percent = (text: string): string => Array.from(text, (c) => `%${c.charCodeAt(0).toString(16)}`).join('')

/** The bodies with a password in a place that the contract documents. A service can return most of them. */
export const passwordBodies: readonly PasswordPlace[] = [
  inBody(json, (p) => `{"openers": ["a", "${p}"]}`),
  inBody(json, (p) => `{"choice": "${p}"}`),
  inBody(json, (p) => `"${p}"`),
  inBody(json, (p) => `{"opener": {"${p}": 1}}`),
  inBody(json, (p) => `{"byName": {"x": "${p}"}}`),
  inBody(json, (p) => `{"opener": {"value": ["${p}"]}}`),
  inBody(json, (p) => `{"opener": "${p}", "opener": ""}`),
  inBody(json, (p) => `{"a": {"opener": "${p}"}, "a": 1}`),
  inBody(json, (p) => `{"op\\u0065ner": "${escaped(p)}"}`),
  inBody(json, (p) => `{'opener': '${p}'}`),
  inBody(json, (p) => `{opener: ${p}}`),
  inBody(json, (p) => `{"opener" /* pin */ : "${p}"}`),
  inBody(json, (p) => `// {\n{"opener": // }\n"${p}"}`),
  inBody(json, (p) => `{"opener": "${p}`),
  inBody(json, (p) => `{"name": "opener", "value": "${p}",}`),
  inBody(json, (p) => JSON.stringify({ note: JSON.stringify({ opener: p }) })),
  inBody(json, (p) => JSON.stringify({ note: JSON.stringify({ a: JSON.stringify({ opener: p }) }) })),
  inBody(json, (p) => JSON.stringify({ note: `a=1&opener=${p}` })),
  inBody(json, (p) => JSON.stringify({ note: `<door><opener><![CDATA[${p}]]></opener></door>` })),
  inBody(json, (p) => JSON.stringify({ note: `{opener: '${p}'}` })),
  inBody(json, (p) => `\uFEFF{"opener": "${p}"}`),
  inBody(json, (p) => Buffer.from(`{"opener": "${p}"}`, 'utf16le')),
  inBody(json, (p) => `{"long": "${'x'.repeat(17_000)}", "opener": "${p}"}`),
  inBody(json, (p) => `{"long": "${'x'.repeat(16_350)}", "opener": "${p}"}`),
  inBody('text/plain', (p) => `{"opener": "${p}"}`),
  inBody('text/plain', (p) => `the opener is ${p}`),
  inBody('', (p) => `opener=${p}`),
  inBody('', (p) => `{"opener": "${p}"}`),
  inBody('text/csv', (p) => `opener,a\r\n${p},1\r\n`),
  inBody('application/octet-stream', (p) => Buffer.from([0xff, 0, ...Buffer.from(`opener${p}`)])),
  inBody(form, (p) => `openers=a&openers=${p}`),
  inBody(form, (p) => `a=1;opener=${p}`),
  inBody(form, (p) => `op%65ner=${percent(p)}`),
  inBody(form, (p) => `{a=1&opener=${p}`),
  inBody(form, (p) => `--a=1&opener=${p}`),
  inBody(form, (p) => `{"opener":"${p}"}`),
  inBody(form, (p) => `note=${encodeURIComponent(JSON.stringify({ opener: p }))}`),
  inBody(form, (p) => `opener\n=${p}`),
  inBody(form, (p) => part(disposition, p)),
  inBody(form, (p) => p),
  inBody(multipart, (p) => part(disposition, p)),
  inBody(multipart, (p) => part(disposition, `--${p}`)),
  inBody(multipart, (p) => part(disposition, `a\r\n--\r\n${p}`)),
  inBody(multipart, (p) => part('Content-Disposition: form-data; name ="opener"', p)),
  inBody(multipart, (p) => part("Content-Disposition: form-data; name*=UTF-8''opener", p)),
  inBody(multipart, (p) => part('Content-Disposition: form-data; name=opener', p)),
  inBody(multipart, (p) => part('Content-Disposition: form-data;\r\n name="opener"', p)),
  inBody(multipart, (p) => part(`${disposition}; filename="a.txt"\r\nContent-Type: text/plain`, p)),
  inBody(multipart, (p) => part(`Content-Type: text/plain\r\n${disposition}`, p)),
  inBody(multipart, (p) =>
    part('Content-Disposition: form-data; name="note"\r\nContent-Type: application/json', `{"opener":"${p}"}`),
  ),
  inBody(multipart, (p) =>
    part('Content-Disposition: form-data; name="note"\r\nContent-Type: application/json', `{"opener"/**/:"${p}"}`),
  ),
  inBody(multipart, (p) =>
    part('Content-Disposition: form-data; name="note"\r\nContent-Type: text/xml', `<a opener="${p}"/>`),
  ),
  inBody(multipart, (p) => part('Content-Disposition: form-data; name="note"', `{"opener":"${p}"}`)),
  inBody(multipart, (p) => part(disposition, p).replaceAll('\r\n', '\n')),
  inBody(multipart, (p) => part(disposition, p, '')),
  inBody('multipart/form-data', (p) => part(disposition, p)),
  inBody('multipart/form-data; boundary=other', (p) => part(disposition, p)),
  inBody('multipart/mixed; boundary=b', (p) => part(disposition, p)),
  inBody(xml, (p) => `<door><opener>${p}</opener></door>`),
  inBody(xml, (p) => `<door><opener><![CDATA[${p}]]></opener></door>`),
  inBody(xml, (p) => `<door opener="${p}"/>`),
  inBody(xml, (p) => `<door><opener><!-- --><value>${p}</value></opener></door>`),
  inBody(xml, (p) => `<d:door xmlns:d="x"><d:opener>&#x20;${p}</d:opener></d:door>`),
  inBody(xml, (p) => `<!DOCTYPE a [<!ENTITY e "${p}">]><door><opener>&e;</opener></door>`),
  inBody(json, (p) => `"${p}"`, '/pin'),
  inBody('text/plain', (p) => p, '/pin'),
  inBody(json, (p) => `{"front": ["${p}"]}`, '/pins'),
]

/** All places in a request. */
export const passwordPlaces: readonly PasswordPlace[] = [
  ...passwordBodies,
  inLine((p) => `GET /doors?marks=a,${p}`),
  inLine((p) => `GET /doors?marks[]=${p}`),
  inLine((p) => `GET /doors?deep[knock]=${p}`),
  inLine((p) => `GET /doors?deep%5Bknock%5D=${p}`),
  inLine((p) => `GET /doors?json=${encodeURIComponent(JSON.stringify({ knock: p }))}`),
  inLine((p) => `GET /doors?note=${encodeURIComponent(JSON.stringify({ knock: p }))}`),
  inLine((p) => `GET /doors?a=1;access_token=${p}`),
  inLine((p) => `GET /doors;access_token=${p}`),
  inLine((p) => `GET /doors#access_token=${p}`),
  inLine((p) => `GET /doors?access_token=a;b#${p}`),
  inLine((p) => `GET /nowhere;access_token=${p}?a`),
  inLine((p) => `POST /doors/${p}/front`),
  inLine((p) => `POST /v1/doors/${p}/front`),
  inLine((p) => `GET /doors/${p}/front`),
  inLine((p) => `POST /invitations/${p}`),
  inLine((p) => `POST /invitations/${p}/`),
  inLine((p) => `POST //invitations/${p}`),
  inLine((p) => `POST /invitations//${p}`),
  inLine((p) => `POST /INVITATIONS/${p}`),
  inLine((p) => `POST /%69nvitations/${p}`),
  inLine((p) => `POST /invitations%2F${p}`),
  inLine((p) => `POST /invitations%252f${p}`),
  inLine((p) => `POST /invitations/${p}/more`),
  inLine((p) => `POST /v2/invitations/${p}`),
  inLine((p) => `POST http://localhost/invitations/${p}/x`),
  inLine((p) => `POST /invitations/${percent(p)}/more`),
  inLine((p) => `POST /invitations/"${p}/more`),
  inLine((p) => `DELETE /v1/invitations/${p}`),
  inField((p) => `X-Marks: a,${p}`),
  inField((p) => `Authentication: ${p}`),
  inField((p) => `Ocp-Apim-Subscription-Key: ${p}`),
  inField((p) => `Referer: http://app.example/#access_token=${p}&a=1`),
  inField((p) => `Referer: http://app.example/a;access_token=${p}`),
  inField((p) => `Referer: http://app.example/invitations/${p}?a=1`),
  inField((p) => `X-Login: {"opener": "${p}"}`),
]
