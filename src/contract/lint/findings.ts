/** Collects findings about a spec in two classes: problems, which are illegal, and diagnostics, which are legal but not enforced. */
import { isObject, objectOf, setProperty } from '../../documents/object.js'
import { type Segment, toPointer, valueAt } from '../../documents/pointer.js'
import { type Problem, problemAt } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { nearestName } from '../../nearest-name.js'
import { Cursor } from '../references.js'

/** Reports a finding at a path of the spec. Ignores repetitions. */
type ReportFinding = (at: Cursor | readonly Segment[], what: string, hint: string, target?: 'key' | 'value') => void

export type Findings = ReturnType<typeof createFindings>

/** @returns `refuse` for illegal parts, whose spec is refused; `note` for legal parts that are not enforced, of which the user is informed. */
export function createFindings(source: Source) {
  const [refuse, problems] = createList(source)
  const [note, diagnostics] = createList(source)
  return { refuse, note, problems, diagnostics }
}

function createList(source: Source): [ReportFinding, Problem[]] {
  const found: Problem[] = []
  const known = new Set<string>()
  const report: ReportFinding = (at, what, hint, target) => {
    const path = at instanceof Cursor ? at.path : at
    const key = `${toPointer(path)} ${what}`
    if (!known.has(key)) found.push(problemAt(source, path, what, hint, target))
    known.add(key)
  }
  return [report, found]
}

const valueFields =
  'description required deprecated allowEmptyValue style explode allowReserved schema example examples content'

/** The fields of each object in OpenAPI 3.0 to 3.2. Those of 3.2 are read in every version. */
const fields = {
  'an OpenAPI document':
    'openapi $self info jsonSchemaDialect servers paths webhooks components security tags externalDocs',
  'a path item': `$ref summary description servers parameters get put post delete options head patch trace query
    additionalOperations`,
  'an operation': `tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated
    security servers`,
  'a parameter': `name in ${valueFields}`,
  'a header': valueFields,
  'a request body': 'description content required',
  'a response': 'summary description headers content links',
  'a media type': 'schema itemSchema example examples encoding itemEncoding prefixEncoding',
  components: `schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems
    mediaTypes`,
  'a security scheme':
    'type description name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl deprecated',
}

/** Finds the known name that a misspelt name means. @returns Undefined if no known name differs in only one or two letters. */
export function suggestField(name: string, known: readonly string[]): string | undefined {
  // Short words are too similar to each other: `note` is not a misspelt `not`.
  const long = known.filter((other) => other.length > 3)
  return nearestName(name, long, name.length < 6 ? 1 : 2)
}

/** Notes a key that is wrong, and renames it in the copy that is linted, or removes it. */
export function rename(object: Cursor, key: string, name: string | undefined, { note }: Findings): void {
  const what = name === undefined ? 'is ignored' : `counts as ${name}`
  note([...object.path, key], `"${key}" ${what}`, `write ${name ?? 'type/subtype, such as application/json'}`, 'key')
  const own = objectOf(object.value)
  if (name !== undefined) setProperty(own, name, own[key])
  Reflect.deleteProperty(own, key)
}

/**
 * Renames the keys that are known but for case, separators, or a letter or two, such as `Description`, `min_items` and `requred`.
 *
 * @param isFit - Tells whether a known key may have the value. Default: each may.
 */
export function respellKeys(
  object: Cursor,
  known: readonly string[],
  findings: Findings,
  isFit: (name: string, value: unknown) => boolean = () => true,
): void {
  const own = objectOf(object.value)
  for (const key of Object.keys(own)) {
    if (known.includes(key) || key.startsWith('x-')) continue
    const meant = known.find((each) => lettersOf(each) === lettersOf(key)) ?? suggestField(key, known)
    if (meant === undefined || meant.startsWith('$') || own[meant] !== undefined) continue
    if (isFit(meant, own[key])) rename(object, key, meant, findings)
  }
}

export const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Notes what is no object, such as a key without a value in YAML. The copy that is linted gets an empty one. */
export function countAsEmpty(object: Cursor, { note }: Findings): void {
  const what = object.value === null ? 'has no value' : 'is not an object'
  note(object, `${what}, and counts as {}`, 'write its value, or remove it', 'key')
  setProperty(objectOf(valueAt(object.root, object.path.slice(0, -1))), String(object.path.at(-1)), {})
}

/** Notes a key without a value, and removes it from the copy that is linted. */
export function ignoreEmpty(own: object, at: readonly Segment[], { note }: Findings): void {
  const key = String(at.at(-1))
  note(at, `"${key}" has no value, and is ignored`, 'write its value, or remove it', 'key')
  Reflect.deleteProperty(own, key)
}

/** Reports the unknown fields of an OpenAPI object. Reports nothing if it is absent. @returns True if it is an object. */
export function lintFields(kind: keyof typeof fields, object: Cursor, findings: Findings): boolean {
  const { note, refuse } = findings
  if (object.value === null) countAsEmpty(object, findings)
  else if (object.value !== undefined && !isObject(object.value)) refuse(object, `is not ${kind}`, 'write an object')
  if (!isObject(object.value)) return false
  const known = fields[kind].split(/\s+/u)
  respellKeys(object, known, findings)
  for (const key of Object.keys(object.value)) {
    if (key.startsWith('x-')) continue
    const at = [...object.path, key]
    if (known.includes(key)) {
      // A key without a value is null in YAML. An example may be null.
      if (object.value[key] !== null || key === 'example') continue
      ignoreEmpty(object.value, at, findings)
      continue
    }
    const meant = suggestField(key, known)
    if (meant === undefined) note(at, `"${key}" is not a field of ${kind}, and is ignored`, `rename it x-${key}`, 'key')
    else refuse(at, `"${key}" is not a field of ${kind}`, `did you mean ${meant}?`, 'key')
  }
  return true
}

/** Reports a value that is not a list. @returns Its items. */
export function lintList(list: Cursor, { refuse }: Findings): readonly Cursor[] {
  if (list.value !== undefined && !Array.isArray(list.value)) refuse(list, 'is not a list', 'write a list')
  return Array.isArray(list.value) ? list.items() : []
}
