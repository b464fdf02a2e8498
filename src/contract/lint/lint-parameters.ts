/** Reports errors in the path template and the parameters of an operation, and the parts that are not enforced. */
import { nearestName } from '../../nearest-name.js'
import type { Cursor } from '../references.js'
import type { SchemaWalk } from './lint-and-rewrite-schema.js'
import { lintAndRewriteSchema } from './lint-and-rewrite-schema.js'
import { lintContent } from './lint-content.js'
import { lintList, lintFields } from './lint-fields.js'

const places = ['path', 'query', 'header', 'cookie']

/** Reports errors in the path template and the parameters of an operation. */
export function lintParameters(path: string, item: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { refuse } = walk.findings
  lintTemplate(path, item, walk)
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/gu)].map(([, name]) => name ?? '')
  const declared = new Set<unknown>()
  for (const list of [item.at('parameters'), operation.at('parameters')]) {
    const inList = new Set<string>()
    for (const parameter of lintList(list, walk.findings)) {
      if (!lintFields('a parameter', parameter, walk.findings)) continue
      const name = parameter.at('name').value
      const place = parameter.at('in').value
      const key = `${String(place)} ${String(name)}`
      if (inList.has(key)) refuse(parameter, `${key} is declared twice`, 'declare each parameter once')
      inList.add(key)
      if (place === 'path') declared.add(name)
      lintParameter(path, parameter, inTemplate, walk)
    }
  }
  for (const name of inTemplate) {
    if (declared.has(name)) continue
    refuse(operation, `path parameter "${name}" is not declared`, 'add it to parameters, with `in: path`', 'key')
  }
}

function lintTemplate(path: string, item: Cursor, { findings: { note, refuse } }: SchemaWalk): void {
  if (!path.startsWith('/')) return
  if (!/^(?:\{[^{}/]+\}|[^{}])*$/u.test(path)) {
    const what = `path "${path}" is not a valid template`
    refuse(item, what, 'close each brace and name each parameter, as in /orders/{id}', 'key')
  } else if (/[?#\s]/u.test(path.replaceAll(/\{[^}]*\}/gu, ''))) {
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
  if (typeof name !== 'string' || name === '') refuse(parameter, 'has no name', 'add `name`')
  if (typeof place !== 'string' || !places.includes(place)) {
    const meant = nearestName(String(place), places)
    const hint = meant === undefined ? `use ${places.join(', ')}` : `did you mean "${meant}"?`
    refuse(parameter, `\`in\` is ${JSON.stringify(place)}`, hint)
  }
  if (place === 'path') {
    if (!inTemplate.includes(String(name))) {
      const meant = nearestName(String(name), inTemplate)
      const hint = meant === undefined ? 'name a parameter of the path' : `did you mean "${meant}"?`
      refuse(parameter, `path "${path}" has no {${String(name)}}`, hint)
    }
    if (parameter.at('required').value !== true)
      refuse(parameter, 'a path parameter is always required', 'add `required: true`')
  }
  if (place === 'header' && /^(?:accept|authorization|content-type)$/iu.test(String(name)))
    note(parameter, `header ${String(name)} is not checked, as OpenAPI requires`, 'describe it by content or security')
  const content = parameter.at('content')
  const schema = parameter.at('schema')
  if (schema.value !== undefined && content.value !== undefined)
    refuse(parameter, 'has both a schema and content', 'remove one of them')
  else if (schema.value !== undefined) lintAndRewriteSchema(schema, walk)
  else if (content.value !== undefined) lintContent(content, walk)
  else refuse(parameter, 'has no schema, so any value would be valid', 'add a schema, such as `schema: {type: string}`')
}
