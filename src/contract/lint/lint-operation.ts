/** Reports errors in the parameters, the request body, the responses and the security of an operation, and the parts that are not enforced. */
import { isObject, type JsonObject, listOf, objectAt, objectOf, setProperty } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { nearestName, suggest } from '../../nearest-name.js'
import { hasNoBody } from '../contract.js'
import { isEnforced } from '../media-types.js'
import { formMediaType, isFormInQuery } from '../parameters/parameter-styles.js'
import { fillTemplate, parameterNames } from '../path-template.js'
import type { Cursor } from '../references.js'
import { type Findings, lettersOf, lintFields, lintList, rename } from './findings.js'
import { lintAndRewriteSchema, type SchemaWalk } from './lint-schema.js'

/** The header fields that tell how a body is sent. With another value, no client could read it. */
const ofConnection = /^(?:connection|content-(?:encoding|length)|keep-alive|trailer|transfer-encoding|upgrade)$/iu

/** Reports errors in an operation, except in its parameters. */
export function lintOperation(top: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  const responses = operation.at('responses')
  const statuses = responses.children().filter(([status]) => !status.startsWith('x-'))
  if (statuses.length === 0)
    note(operation, 'documents no responses, so no response is checked', 'document each status that it sends', 'key')
  for (const [status, response] of statuses) {
    if (/^[1-5]xx$/u.test(status)) rename(responses, status, status.toUpperCase(), walk.findings)
    else if (!/^(?:[1-5](?:\d\d|XX)|default)$/u.test(status)) {
      const hint = nearestName(status, ['default'])
      const use = `use ${hint ?? 'three digits, such as "200", or 4XX or default'}`
      const at = [...responses.path, status]
      if (hint !== undefined || /\d/u.test(status)) refuse(at, `"${status}" is not a status`, use, 'key')
      else {
        // A name does not tell which status is sent.
        note(at, `"${status}" is not a status, and is ignored`, use, 'key')
        Reflect.deleteProperty(objectOf(responses.value), status)
        continue
      }
    }
    if (!lintFields('a response', response, walk.findings)) continue
    lintContent(response.at('content'), walk)
    if (hasNoBody(Number(status)) && response.at('content').items().length > 0)
      note(response.at('content'), `a ${status} has no body, so its content is not sent`, 'remove the content', 'key')
    if (response.at('links').items().length > 0)
      note([...response.path, 'links'], 'links are not followed or checked', 'no action is needed', 'key')
    for (const [name, header] of response.at('headers').children()) {
      if (ofConnection.test(name)) {
        const what = `header ${name} follows from what is sent, so that of the contract is ignored`
        note([...response.at('headers').path, name], what, 'remove it', 'key')
        Reflect.deleteProperty(objectOf(response.at('headers').value), name)
        continue
      }
      if (!lintFields('a header', header, walk.findings)) continue
      if (header.at('schema').value !== undefined) lintAndRewriteSchema(header.at('schema'), walk)
      else note(header, 'has no schema, so any value is valid', 'add a schema, such as `schema: {type: string}`', 'key')
    }
  }
  if (statuses.length > 0 && !statuses.some(([status]) => /^(?:2(?:\d\d|XX)|default)$/u.test(status)))
    note(responses, 'documents no 2xx status, so 204 is sent', 'document the status of a success', 'key')
  lintRequestBody(operation, walk)
  if (operation.at('callbacks').items().length > 0)
    note([...operation.path, 'callbacks'], 'callbacks are not sent', 'send them from the test', 'key')
  lintList(operation.at('security'), walk.findings)
  lintSecurity(top, operation, walk.findings)
}

function lintRequestBody(operation: Cursor, walk: SchemaWalk): void {
  const { note } = walk.findings
  const body = operation.at('requestBody')
  if (!lintFields('a request body', body, walk.findings)) return
  const content = body.at('content')
  if (content.value === undefined) {
    note(body, 'has no content, so no body is checked', 'add its media types', 'key')
    Reflect.deleteProperty(objectOf(operation.value), 'requestBody')
  } else if (content.items().length === 0)
    note(content, 'has no media type, so every body is refused', 'add its media types', 'key')
  else lintContent(content, walk)
}

/** Reports security schemes that are undefined or misspelt, and those that are not enforced. */
function lintSecurity(top: Cursor, operation: Cursor, findings: Findings): void {
  const own = operation.at('security')
  const requirements = own.value === undefined ? top.at('security') : own
  const schemes = top.at('components', 'securitySchemes')
  for (const requirement of requirements.items())
    for (const [name] of requirement.children()) {
      const scheme = schemes.at(name)
      if (scheme.value === undefined) lintUndefinedScheme(top, [...requirement.path, name], findings)
      else if (lintFields('a security scheme', scheme, findings)) lintScheme(name, scheme, findings)
    }
}

/** Defines an undefined scheme as bearer, in the copy that is linted. A name near that of a defined one is a mistake, unless they differ in case alone. */
function lintUndefinedScheme(top: Cursor, at: readonly Segment[], { note, refuse }: Findings): void {
  const name = String(at.at(-1))
  const schemes = objectAt(objectAt(top.value, 'components'), 'securitySchemes')
  const what = `security scheme "${name}" is not defined`
  const same = Object.keys(schemes).find((each) => each.toLowerCase() === name.toLowerCase())
  const meant = same === undefined ? nearestName(name, Object.keys(schemes)) : undefined
  if (meant !== undefined) return refuse(at, what, `did you mean ${meant}?`, 'key')
  note(at, `${what}, so it counts as ${same ?? 'bearer'}`, 'define it under components.securitySchemes', 'key')
  const scheme = same === undefined ? { type: 'http', scheme: 'bearer' } : schemes[same]
  const securitySchemes = { ...schemes, [name]: scheme }
  Object.assign(objectOf(top.value), { components: { ...objectAt(top.value, 'components'), securitySchemes } })
}

const schemeTypes = ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect']

function lintScheme(name: string, scheme: Cursor, findings: Findings): void {
  const { note, refuse } = findings
  const given = scheme.at('type').value
  const type = schemeTypes.find((known) => known.toLowerCase() === String(given).toLowerCase())
  const what = `security scheme "${name}" has the type ${JSON.stringify(given) ?? 'undefined'}`
  if (type === undefined) return refuse(scheme, what, suggest(String(given), schemeTypes))
  if (type !== given) {
    note(scheme, `${what}, which counts as "${type}"`, `write ${type}`)
    Object.assign(objectOf(scheme.value), { type })
  }
  if (type === 'http') lintHttpScheme(name, scheme, findings)
  if (type === 'apiKey') lintApiKey(name, scheme, findings)
  if (type !== 'mutualTLS') return
  const hint = 'no action is needed: requests are served without a certificate'
  note(scheme, `security scheme "${name}" is a client certificate, which is not checked`, hint)
}

function lintHttpScheme(name: string, scheme: Cursor, { note, refuse }: Findings): void {
  const { value } = scheme.at('scheme')
  const lower = String(value).toLowerCase()
  if (lower === 'bearer' || lower === 'basic') return
  const meant = nearestName(lower, ['bearer', 'basic'])
  if (typeof value !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/u.test(value) || meant !== undefined) {
    const what = `security scheme "${name}" has the HTTP scheme ${JSON.stringify(value) ?? 'undefined'}`
    refuse(scheme, what, `did you mean ${meant ?? 'bearer'}?`)
  } else {
    const what = `the credentials of security scheme "${name}" (${value}) are compared as text`
    note(scheme, what, `send "Authorization: ${value} <the token of a caller>"`)
  }
}

function lintApiKey(name: string, scheme: Cursor, { note, refuse }: Findings): void {
  const [, kind] = /^authorization: *(bearer|basic)$/iu.exec(String(scheme.at('name').value)) ?? []
  if (kind !== undefined) {
    note(scheme, `security scheme "${name}" counts as HTTP ${kind}, as no header has its name`, `write type: http`)
    Object.assign(objectOf(scheme.value), { type: 'http', scheme: kind.toLowerCase() })
    return
  }
  if (typeof scheme.at('name').value !== 'string')
    refuse(scheme, `security scheme "${name}" has no name of a header, query parameter or cookie`, 'add its `name`')
  const place = scheme.at('in').value
  const known = ['header', 'query', 'cookie']
  if (known.includes(String(place))) return
  const what = `security scheme "${name}" is in ${JSON.stringify(place) ?? 'no place'}`
  refuse(scheme, what, suggest(String(place), known))
}

const places = ['path', 'query', 'header', 'cookie']

/** Reports errors in the path template and the parameters of an operation. */
export function lintParameters(path: string, item: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { note } = walk.findings
  lintTemplate(path, item, walk)
  const inTemplate = parameterNames(path)
  const declared = new Set<unknown>()
  useBodyParameter(operation, walk.findings)
  for (const holder of [item, operation]) {
    const inList = new Set<string>()
    const ignored = new Set<Segment>()
    for (const index of lintList(holder.at('parameters'), walk.findings).keys()) {
      const parameter = nameAsInPath(holder, index, inTemplate, walk.findings)
      if (!lintFields('a parameter', parameter, walk.findings)) continue
      const name = parameter.at('name').value
      const place = parameter.at('in').value
      const reason = reasonToIgnore(name, place, inTemplate)
      const key = `${String(place)} ${String(name)}`
      if (reason !== undefined || inList.has(key)) {
        ignored.add(index)
        const what = `parameter "${String(name)}" ${reason}, so it is ignored`
        if (reason !== undefined) note(parameter, what, 'remove it, or correct its name and `in`')
        else note(parameter, `${key} is declared twice, and the second is ignored`, 'declare each parameter once')
        continue
      }
      inList.add(key)
      if (place === 'path') declared.add(name)
      lintParameter(path, parameter, inTemplate, walk)
    }
    const parameters = listOf(objectOf(holder.value)['parameters']).filter((_, index) => !ignored.has(index))
    if (ignored.size > 0) Object.assign(objectOf(holder.value), { parameters })
  }
  const undeclared = inTemplate.filter((name) => !declared.has(name))
  for (const name of undeclared)
    note(operation, `path parameter "${name}" is not declared, so any text is valid`, 'add it to parameters', 'key')
  if (undeclared.length === 0) return
  const added = undeclared.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  Object.assign(objectOf(operation.value), { parameters: [...listOf(operation.at('parameters').value), ...added] })
}

/** Returns a parameter, whose name is that in the path if only case and separators differ. Other paths may refer to the same parameter. */
function nameAsInPath(holder: Cursor, index: number, inTemplate: readonly string[], { note }: Findings): Cursor {
  const parameter = holder.at('parameters', index)
  const { in: place, name } = objectOf(parameter.value)
  const meant = inTemplate.find((each) => lettersOf(each) === lettersOf(String(name)))
  if (place !== 'path' || meant === undefined || inTemplate.includes(String(name))) return parameter
  note(parameter, `path parameter "${String(name)}" counts as "${meant}"`, 'name it as in the path')
  const list = listOf(holder.at('parameters').value).with(index, { ...objectOf(parameter.value), name: meant })
  Object.assign(objectOf(holder.value), { parameters: list })
  return holder.at('parameters', index)
}

/** Tells why a parameter can be in no request. Undefined: it can, or it is a misspelt one. */
function reasonToIgnore(name: unknown, place: unknown, inTemplate: readonly string[]): string | undefined {
  if (place === undefined) return 'has no `in`'
  if (place !== 'path' || inTemplate.includes(String(name))) return undefined
  return nearestName(String(name), inTemplate) === undefined ? 'is not in the path' : undefined
}

/** Reads a parameter that is `in: body`, as Swagger 2.0 has it, as the request body, unless the operation has one. */
function useBodyParameter(operation: Cursor, { note }: Findings): void {
  const parameters = operation.at('parameters').items()
  const inBody = parameters.find(({ value }) => objectOf(value)['in'] === 'body')
  if (!inBody) return
  note(inBody, '`in` is "body", so it counts as the request body', 'write it as requestBody')
  const others = parameters.filter((each) => each !== inBody).map(({ value }) => value)
  const content = { 'application/json': { schema: objectOf(inBody.value)['schema'] ?? {} } }
  const own = objectOf(operation.value)
  Object.assign(own, { requestBody: { content }, ...own, parameters: others })
}

/** Reads a query parameter that is an object without properties, as NestJS writes `page?: number`, as a number or as any value: a query would not name it. */
function readAsValue(parameter: Cursor, schema: Cursor, { note }: Findings): void {
  const own = objectOf(schema.value)
  const parts = [schema, ...schema.at('allOf').items()].map(({ value }) => objectOf(value))
  const isEmpty = (part: JsonObject): boolean =>
    Object.keys(objectOf(part['properties'])).length === 0 &&
    (part['additionalProperties'] ?? false) === false &&
    ['patternProperties', 'anyOf', 'oneOf'].every((name) => part[name] === undefined)
  if (!parts.some(({ type }) => type === 'object') || !parts.every(isEmpty)) return
  const { allOf: _parts, type: _type, ...others } = own
  const isNumber = ['default', 'minimum', 'maximum'].some((name) => typeof own[name] === 'number')
  const what = `is an object without properties, so it is read as ${isNumber ? 'a number' : 'any value'}`
  note(schema, what, 'write its type')
  setProperty(objectOf(parameter.value), 'schema', isNumber ? { type: 'number', ...others } : others)
}

function lintTemplate(path: string, item: Cursor, { findings: { note, refuse } }: SchemaWalk): void {
  if (!path.startsWith('/')) return
  if (!/^(?:\{[^{}/]+\}|[^{}])*$/u.test(path)) {
    const what = `path "${path}" is not a valid template`
    refuse(item, what, 'close each brace and name each parameter, as in /orders/{id}', 'key')
  } else if (/[?#\s]/u.test(fillTemplate(path, () => ''))) {
    const what = `path "${path}" is never requested, since a path ends at ? or # and has no white space`
    note(item, what, 'write query parameters as parameters', 'key')
  }
  if (path.includes('}{')) {
    const what = `path "${path}" has two parameters with nothing in between`
    refuse(item, what, 'put a character between them, or use one parameter', 'key')
  }
}

function lintParameter(path: string, parameter: Cursor, inTemplate: readonly string[], walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  const name = parameter.at('name').value
  const place = parameter.at('in').value
  if (place === 'querystring' && !isFormInQuery(parameter.value))
    note(parameter, `querystring parameter "${String(name)}" is not enforced`, `use content with ${formMediaType}`)
  const known = [...places, 'querystring']
  if (typeof name !== 'string' || name === '') refuse(parameter, 'has no name', 'add `name`')
  if (typeof place !== 'string' || !known.includes(place))
    refuse(parameter, `\`in\` is ${JSON.stringify(place)}`, suggest(String(place), known))
  if (place === 'path') {
    if (!inTemplate.includes(String(name))) {
      const hint = suggest(String(name), inTemplate, 'name a parameter of the path')
      refuse(parameter, `path "${path}" has no {${String(name)}}`, hint)
    }
    if (parameter.at('required').value !== true) {
      note(parameter, 'a path parameter is always required', 'add `required: true`')
      Object.assign(objectOf(parameter.value), { required: true })
    }
  }
  if (place === 'header' && /^(?:accept|authorization|content-type)$/iu.test(String(name)))
    note(parameter, `header ${String(name)} is not checked, as OpenAPI requires`, 'describe it by content or security')
  const content = parameter.at('content')
  const schema = parameter.at('schema')
  if (schema.value !== undefined && content.value !== undefined)
    refuse(parameter, 'has both a schema and content', 'remove one of them')
  else if (schema.value !== undefined) {
    if (place === 'query' && parameter.at('style').value === undefined) readAsValue(parameter, schema, walk.findings)
    lintAndRewriteSchema(parameter.at('schema'), walk)
  } else if (content.value !== undefined) lintContent(content, walk)
  else {
    note(parameter, 'has no schema, so any value is valid', 'add a schema, such as `schema: {type: string}`')
    Object.assign(objectOf(parameter.value), { schema: {} })
  }
}

const mediaTypePattern =
  /^(?:[\w!#$&^.+-]+\/(?:[\w!#$&^.+-]+|\*(?:\+[\w.-]+)?)|\*\/\*)(?:\s*;\s*[\w!#$&^.+-]+=(?:[^\s;"]+|"[^"]*"))*;?$/u

/** Media types by what some documents write in their place. */
const meantMediaTypes: ReadonlyMap<string, string> = new Map([
  ['*', '*/*'],
  ['multipart/data', 'multipart/form-data'],
])

function lintContent(content: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  const hint = 'write media types, such as application/json, with their schemas'
  if (content.value !== undefined && !isObject(content.value))
    return refuse(content, 'is not a map of media types', hint)
  const mediaTypes = content.children().map(([mediaType]) => mediaType)
  for (const mediaType of mediaTypes) {
    const isLegal = mediaTypePattern.test(mediaType)
    const known = meantMediaTypes.get(mediaType)
    if (isLegal && known === undefined) continue
    const json = /^[^,;]*\bjson\b[^,;]*$/iu.test(mediaType) ? 'application/json' : ''
    const meant = [known ?? mediaType.trim(), json].find(
      (each) => mediaTypePattern.test(each) && content.at(each).value === undefined,
    )
    if (meant !== undefined || !isLegal) rename(content, mediaType, meant, walk.findings)
  }
  for (const [mediaType, media] of content.children()) {
    const at = [...content.path, mediaType]
    if (!lintFields('a media type', media, walk.findings)) continue
    const isSequence = media.at('itemSchema').value !== undefined
    const what = `itemSchema of ${mediaType} is not enforced`
    if (isSequence) note([...media.path, 'itemSchema'], what, 'no action is needed: bodies are sent as they are', 'key')
    useDataValues(media)
    const schema = media.at('schema')
    if (schema.value === undefined) {
      // Binary content needs no schema.
      if (!isSequence && !/^(?:audio|font|image|video)\/|octet-stream|pdf|zip/iu.test(mediaType))
        note(at, 'has no schema, so any body is valid', 'add a schema; `schema: {}` allows any body explicitly', 'key')
      continue
    }
    lintAndRewriteSchema(schema, walk)
    const unread = content.path.includes('requestBody') ? ', and no record is read from it' : ''
    if (!isEnforced(mediaType, schema.value))
      note(at, `the schema of ${mediaType} is not enforced${unread}`, 'use JSON if the body must be validated', 'key')
  }
}

/** Writes the `dataValue` of examples (OpenAPI 3.2) as `value`, which Prism knows. */
function useDataValues(media: Cursor): void {
  for (const { value } of media.at('examples').items())
    // The document is a copy, so it may be changed.
    if (isObject(value) && Object.hasOwn(value, 'dataValue')) Object.assign(value, { value: value['dataValue'] })
}
