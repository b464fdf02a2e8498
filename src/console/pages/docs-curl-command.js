/** Creates curl commands of operations. */
import { adminToken, baseUrl, rootUrl } from './api.js'
import { credentialArguments, quoted } from './curl-credentials.js'
import { examplesOf, exampleText } from './docs-find-examples.js'
import { resolve } from './docs-resolve-reference.js'

/** Returns a curl command. The user replaces the placeholder with a token. */
export function curl(place, { isRootOnly, method, parameters, path, security }, body) {
  const required = parameters.filter((parameter) => parameter.required)
  const valueOf = (parameter) => exampleText(examplesOf(parameter)[0]?.value ?? `<${parameter.name}>`)
  const filled = path.replaceAll(/\{([^}]+)\}/gu, (whole, name) => {
    const parameter = required.find((one) => one.in === 'path' && one.name === name)
    return parameter ? encodeURIComponent(valueOf(parameter)) : whole
  })
  const credentials = credentialsOf(place, security)
  const query = new URLSearchParams([
    ...required.filter((one) => one.in === 'query').map((parameter) => [parameter.name, valueOf(parameter)]),
    ...credentials.query,
  ]).toString()
  const [[mediaType, media] = []] = Object.entries(body?.content ?? {})
  const value = media && examplesOf(media)[0]?.value
  const url = `${(isRootOnly ? rootUrl : baseUrl).replace(/\/$/u, '')}${filled}${query === '' ? '' : `?${query}`}`
  return [
    'curl',
    method === 'head' && '--head',
    !['get', 'head'].includes(method) && `-X ${method.toUpperCase()}`,
    ...credentials.flags,
    mediaType && `-H 'Content-Type: ${mediaType}'`,
    value !== undefined && `-d ${quoted(JSON.stringify(value))}`,
    quoted(url),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Creates the arguments for the first security requirement. The control plane needs a token only if the page has one. */
function credentialsOf({ document, name }, security) {
  const isGuarded = security.length > 0 && security.every((combination) => Object.keys(combination).length > 0)
  if (!isGuarded || (name === 'control' && adminToken() === null)) return { flags: [], query: [] }
  const schemes = Object.keys(security[0]).map((scheme) =>
    describe(scheme, resolve(document, document.components?.securitySchemes?.[scheme] ?? {})),
  )
  return credentialArguments(schemes, () => (name === 'control' ? '<ADMIN_TOKEN>' : '<ACCESS_TOKEN>'))
}

/** Describes a Security Scheme Object as `GET /__admin/collections` does. */
function describe(name, { in: place, name: parameter, scheme = 'Bearer', type }) {
  if (type === 'apiKey') return { name, kind: 'apiKey', in: place, parameter, prefix: '' }
  const prefix = scheme.replace(/^./u, (letter) => letter.toUpperCase())
  return { name, kind: prefix.toLowerCase(), in: 'header', parameter: 'Authorization', prefix }
}
