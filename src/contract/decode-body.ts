/** Decodes a request body to the JSON value that its schema describes: JSON, text and forms. */
import { groupBy, isObject, objectOf, textOf } from '../documents/object.js'
import { attempt } from '../error-message.js'
import type { BodyContent, Json } from './contract.js'
import { essenceOf, isJson, mediaTypeParameter, matchesAnyMediaType } from './media-types.js'
import { convertText, decodeQueryText, findInPairs, keysIn, nest, splitPairs } from './parameters/parameter-styles.js'
import type { StyledParameter, TextValue } from './parameters/parameter-styles.js'
import { parseJsonWithinBounds } from './parse-large-integers.js'
import { itemSchema, propertyNames, propertySchema, shapesOf } from './schemas/read-schema.js'

export interface DecodedBody {
  /** The value that its schema describes. Binary values are strings of one character for each byte, so minLength and maxLength count bytes. */
  readonly body: Json
  /** The same value as handlers get it: files as `{name, type, bytes}`, binary bodies as bytes, XML as text. Default: `body`. */
  readonly withBytes?: unknown
}

/** Decodes a request body by its media type. @throws {Error} If the body is not valid for its media type. The message is the reason. */
export async function decodeBody(content: BodyContent, contentType: string, bytes: Uint8Array): Promise<DecodedBody> {
  const essence = essenceOf(contentType)
  // JSON and forms are always UTF-8.
  const charset = essence.startsWith('text/') ? mediaTypeParameter(contentType, 'charset') : undefined
  if (essence === 'multipart/form-data') return decodeMultipart(content, contentType, bytes)
  if (isJson(contentType)) return { body: parseJsonWithinBounds(decodeText(bytes), content.requestSchema) as Json }
  if (essence === 'application/x-www-form-urlencoded') return { body: decodeForm(content, decodeText(bytes)) }
  if (essence.startsWith('text/'))
    return { body: convertText(decodeText(bytes, charset), content.requestSchema, 'string') }
  const withBytes = /[/+]xml$/u.test(essence) ? Buffer.from(bytes).toString() : new Uint8Array(bytes)
  return { body: Buffer.from(bytes).toString('latin1'), withBytes }
}

const decodeText = (bytes: Uint8Array, charset = 'utf-8') => new TextDecoder(charset, { fatal: true }).decode(bytes)

/** Tells whether a body of a media type is decoded to a value that its schema can validate. XML, for example, stays a text. */
export const isDecoded = (mediaType: string, schema: unknown): boolean =>
  isJson(mediaType) ||
  /^(?:text\/|multipart\/form-data$|application\/x-www-form-urlencoded$|\*)/u.test(essenceOf(mediaType)) ||
  !isObject(schema) ||
  typeof schema['type'] !== 'string' ||
  schema['type'] === 'string'

/** Decodes `application/x-www-form-urlencoded`. @throws {SyntaxError} If a field is not written as the spec describes. */
function decodeForm(content: BodyContent, text: string): Json {
  const pairs = splitPairs(text)
  const fields = new Map<string, Json>()
  const decoded = new Set<string>()
  for (const property of propertyNames(content.requestSchema)) {
    const style = styleOf(content, property)
    if (!style) continue
    const schema = propertySchema(content.requestSchema, property)
    const keys = propertyNames(schema)
    const shape = shapesOf(schema)[0] ?? 'primitive'
    const found = findInPairs(style, shape, pairs, (key) => keys.includes(key))
    if (found.malformed) throw new SyntaxError(`${style.name} is not written in style ${style.style}`)
    if (found.text !== undefined) fields.set(style.name, convertText(found.text, schema, 'specific'))
    const isPart = (name: string): boolean => {
      if (style.style === 'deepObject') return name.startsWith(`${style.name}[`)
      return shape === 'object' && style.explode ? keys.includes(name) : name === style.name
    }
    for (const { name } of pairs) if (isPart(name)) decoded.add(name)
  }
  for (const [name, own] of groupBy(pairs, (pair) => pair.name)) {
    const texts = own.map(({ raw }) => decodeQueryText(raw))
    if (!decoded.has(name)) fields.set(name, decodeField(content, name, texts))
  }
  return joinBrackets(content, fields)
}

/** Reads the fields that write an array or an object as PHP, Rails and axios do, `tags[]` and `signers[0][name]`, as one property: at most nine levels, so that no name takes long. */
function joinBrackets(content: BodyContent, fields: ReadonlyMap<string, Json>): Json {
  const known = propertyNames(content.requestSchema)
  const parts = [...fields].flatMap(([name, value]) => {
    const [, base = '', inside = ''] = /^([^[\]]+)((?:\[[^[\]]*\]){1,9})$/u.exec(name) ?? []
    const isPart = known.includes(base) && !known.includes(name)
    const keys = keysIn(inside)
    return isPart
      ? [value].flat().map((each) => ({ base, name, keys, value: textOf(each) || JSON.stringify(each) }))
      : []
  })
  const joined = new Set(parts.map(({ name }) => name))
  const whole = new Map([...fields].filter(([name]) => !joined.has(name)))
  for (const [base, own] of groupBy(parts, (part) => part.base))
    whole.set(base, convertText(toLists(nest(own)), propertySchema(content.requestSchema, base), 'specific'))
  return Object.fromEntries(whole)
}

/** Makes arrays of the objects whose keys are numbers. */
function toLists(value: TextValue): TextValue {
  if (typeof value === 'string') return value
  const inner = Object.entries(value).map(([key, each]: [string, TextValue]) => [key, toLists(each)] as const)
  return inner.every(([key]) => /^\d+$/u.test(key)) ? inner.map(([, each]) => each) : Object.fromEntries(inner)
}

/** Returns the style of a field. Undefined if its Encoding Object has none: then its content type applies. */
function styleOf(content: BodyContent, name: string): StyledParameter | undefined {
  const { allowReserved, explode, style } = objectOf(content.encoding[name])
  if (style === undefined && explode === undefined && allowReserved === undefined) return undefined
  const known = (['spaceDelimited', 'pipeDelimited', 'deepObject'] as const).find((each) => each === style)
  const isExploded = known === undefined || known === 'deepObject'
  return { name, style: known ?? 'form', explode: typeof explode === 'boolean' ? explode : isExploded }
}

/** Decodes `multipart/form-data`. A field with several files is an array. @throws {Error} It is not as the spec describes. */
async function decodeMultipart(content: BodyContent, contentType: string, bytes: Uint8Array): Promise<DecodedBody> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  const fields = new Map<string, Json>()
  const withFiles = new Map<string, unknown>()
  const known = propertyNames(content.requestSchema)
  // `files[]` and `files[0]` are items of `files`.
  const nameOf = (field: string): string => {
    const base = field.replace(/\[\d*\]$/u, '')
    return known.includes(base) && !known.includes(field) ? base : field
  }
  for (const [name, fieldsOf] of groupBy(form.entries(), ([field]) => nameOf(field))) {
    const texts: string[] = []
    const files: unknown[] = []
    for (const [, part] of fieldsOf) {
      if (typeof part === 'string') texts.push(part)
      else {
        checkPartType(content, name, part.type)
        const buffer = Buffer.from(await part.arrayBuffer())
        texts.push(buffer.toString('latin1'))
        files.push({ name: part.name, type: part.type, bytes: new Uint8Array(buffer) })
      }
    }
    const value = decodeField(content, name, texts)
    fields.set(name, value)
    if (files.length > 0) withFiles.set(name, Array.isArray(value) ? files : files[0])
  }
  const body = joinBrackets(content, fields)
  return { body, withBytes: { ...objectOf(body), ...Object.fromEntries(withFiles) } }
}

function checkPartType({ encoding }: BodyContent, name: string, type: string): void {
  const documented = objectOf(encoding[name])['contentType']
  // RFC 7578: a part without a type is text. A file of unknown type has none either.
  if (typeof documented !== 'string' || type === '' || matchesAnyMediaType(documented, type)) return
  throw new SyntaxError(`part ${name} must be ${documented}, got ${type}`)
}

/** Decodes a field: objects as JSON, everything else as text. Each item of an array is decoded separately. */
function decodeField(content: BodyContent, name: string, texts: readonly string[]): Json {
  const schema = propertySchema(content.requestSchema, name)
  const { contentType } = objectOf(content.encoding[name])
  const [first = ''] = texts
  const isWhole = typeof contentType === 'string' && isJson(contentType) && texts.length === 1
  if (shapesOf(schema)[0] === 'array' && !isWhole)
    return texts.map((text, index) => decodeFieldText(text, itemSchema(schema, index), name))
  if (texts.length > 1) return texts.map((text) => decodeFieldText(text, schema, name))
  return isWhole ? parse(first, schema, name) : decodeFieldText(first, schema, name)
}

function decodeFieldText(text: string, schema: unknown, name: string): Json {
  const [shape, ...others] = shapesOf(schema)
  if (shape !== 'object') return convertText(text, schema, 'specific')
  // It may be a file, or an object with its URL.
  return parse(text, schema, name, others.includes('primitive') ? text : undefined)
}

/** @param otherwise - The value of what is not JSON. Default: none. */
function parse(text: string, schema: unknown, name: string, otherwise?: Json): Json {
  const value = attempt(() => parseJsonWithinBounds(text, schema) as Json) ?? otherwise
  if (value === undefined) throw new SyntaxError(`${name} is not JSON`)
  return value
}
