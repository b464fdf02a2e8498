/** Creates curl commands of operations. */
import { adminToken, baseUrl, rootUrl } from './api.js'
import { examplesOf, exampleText } from './docs-text.js'

/** Returns a command that works after the user has inserted the token. */
export function curl(place, { isRootOnly, method, parameters, path, security }, body) {
  const required = parameters.filter((parameter) => parameter.required)
  const valueOf = (parameter) => exampleText(examplesOf(parameter)[0]?.value ?? `<${parameter.name}>`)
  const filled = path.replaceAll(/\{([^}]+)\}/gu, (whole, name) => {
    const parameter = required.find((one) => one.in === 'path' && one.name === name)
    return parameter ? encodeURIComponent(valueOf(parameter)) : whole
  })
  const query = new URLSearchParams(
    required.filter((one) => one.in === 'query').map((parameter) => [parameter.name, valueOf(parameter)]),
  ).toString()
  const [[mediaType, media] = []] = Object.entries(body?.content ?? {})
  const value = media && examplesOf(media)[0]?.value
  const token = tokenFor(place, security)
  const url = `${(isRootOnly ? rootUrl : baseUrl).replace(/\/$/u, '')}${filled}${query === '' ? '' : `?${query}`}`
  return [
    'curl',
    method === 'head' && '--head',
    !['get', 'head'].includes(method) && `-X ${method.toUpperCase()}`,
    token && `-H 'Authorization: Bearer ${token}'`,
    mediaType && `-H 'Content-Type: ${mediaType}'`,
    value !== undefined && `-d ${quoted(JSON.stringify(value))}`,
    quoted(url),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Returns the placeholder of the token. The control plane needs a token only if the page has one. */
function tokenFor({ name }, security) {
  const isGuarded = security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0)
  if (!isGuarded) return undefined
  if (name !== 'control') return '<ACCESS_TOKEN>'
  return adminToken() === null ? undefined : '<ADMIN_TOKEN>'
}

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
