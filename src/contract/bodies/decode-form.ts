/** Decodes forms. Each field becomes a property of an object, by the schema and the Encoding Objects of the spec. */
import { isObject } from '../../documents/object.js'
import type { BodyContent, Json, Parameter } from '../contract.js'
import { convertText } from '../parameters/convert-text.js'
import type { StyledParameter } from '../parameters/parameter-styles.js'
import { decodeQueryText, findInPairs, splitPairs } from '../parameters/parameter-styles.js'
import { parseJsonWithinBounds } from '../parse-large-integers.js'
import type { Shape } from '../schemas/read-schema.js'
import { itemSchema, propertyNames, propertySchema, shapesOf } from '../schemas/read-schema.js'
import { matchesAnyMediaType, isJson } from './media-types.js'

/** Decodes `application/x-www-form-urlencoded`. @throws {SyntaxError} If a field is not written as the spec describes. */
export function decodeForm(content: BodyContent, text: string): Json {
  const pairs = splitPairs(text)
  const styled = propertyNames(content.requestSchema).flatMap((name) => {
    const style = styleOf(content, name)
    return style ? [{ style, schema: propertySchema(content.requestSchema, name) }] : []
  })
  const fields = new Map<string, Json>()
  const decoded = new Set<string>()
  for (const { schema, style } of styled) {
    const keys = propertyNames(schema)
    const shape = shapesOf(schema)[0] ?? 'primitive'
    const found = findInPairs(style, shape, pairs, (key) => keys.includes(key))
    if (found.malformed) throw new SyntaxError(`${style.name} is not written in style ${style.style}`)
    if (found.text !== undefined) fields.set(style.name, convertText(found.text, schema, 'specific'))
    for (const { name } of pairs) if (isPartOf(style, shape, keys, name)) decoded.add(name)
  }
  for (const name of new Set(pairs.map((pair) => pair.name))) {
    if (decoded.has(name)) continue
    const texts = pairs.filter((pair) => pair.name === name).map(({ raw }) => decodeQueryText(raw))
    fields.set(name, decodeField(content, name, texts))
  }
  return Object.fromEntries(fields)
}

function isPartOf(
  { explode, name, style }: StyledParameter,
  shape: Shape,
  keys: readonly string[],
  pair: string,
): boolean {
  if (style === 'deepObject') return pair.startsWith(`${name}[`)
  return shape === 'object' && explode ? keys.includes(pair) : pair === name
}

/** Returns the style of a field. Undefined if its Encoding Object has none: then its content type applies. */
function styleOf(content: BodyContent, name: string): StyledParameter | undefined {
  const encoding = content.encoding[name]
  if (!isObject(encoding)) return undefined
  const { allowReserved, explode, style } = encoding
  if (style === undefined && explode === undefined && allowReserved === undefined) return undefined
  const known = (['spaceDelimited', 'pipeDelimited', 'deepObject'] as const).find((each) => each === style)
  const isExploded = known === undefined || known === 'deepObject'
  return { name, style: known ?? 'form', explode: typeof explode === 'boolean' ? explode : isExploded } satisfies Pick<
    Parameter,
    'name' | 'style' | 'explode'
  >
}

/** A file of a form, as handlers get it. */
interface SentFile {
  readonly name: string
  /** Its media type. Empty if the part has none. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** A decoded form. */
interface DecodedForm {
  /** Files are strings of one character for each byte, so minLength and maxLength count bytes. */
  readonly body: Json
  /** The same fields, with files as objects. A field with several files is an array. */
  readonly withBytes: Readonly<Record<string, unknown>>
}

/** Decodes `multipart/form-data`. @throws {Error} If the body is invalid, or a part is not as the spec describes. */
export async function decodeMultipart(
  content: BodyContent,
  contentType: string,
  bytes: Uint8Array,
): Promise<DecodedForm> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  const fields = new Map<string, Json>()
  const withFiles = new Map<string, unknown>()
  for (const name of new Set(form.keys())) {
    const texts: string[] = []
    const files: SentFile[] = []
    for (const part of form.getAll(name)) {
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
    const isList = Array.isArray(value)
    withFiles.set(name, files.length === 0 ? value : isList ? files : files[0])
  }
  return { body: Object.fromEntries(fields), withBytes: Object.fromEntries(withFiles) }
}

function checkPartType({ encoding }: BodyContent, name: string, type: string): void {
  const own = encoding[name]
  const documented = isObject(own) && typeof own['contentType'] === 'string' ? own['contentType'] : undefined
  // RFC 7578: a part without a type is text. A file of unknown type has none either.
  if (documented === undefined || type === '' || matchesAnyMediaType(documented, type)) return
  throw new SyntaxError(`part ${name} must be ${documented}, got ${type}`)
}

/** Decodes a field: objects as JSON, everything else as text. Each item of an array is decoded separately. */
function decodeField(content: BodyContent, name: string, texts: readonly string[]): Json {
  const schema = propertySchema(content.requestSchema, name)
  const encoding = content.encoding[name]
  const contentType = isObject(encoding) ? encoding['contentType'] : undefined
  const [first = ''] = texts
  const isWhole = typeof contentType === 'string' && isJson(contentType) && texts.length === 1
  const shape = shapesOf(schema)[0]
  if (shape === 'array' && !isWhole)
    return texts.map((text, index) => decodeText(text, itemSchema(schema, index), name))
  if (texts.length > 1) return texts.map((text) => decodeText(text, schema, name))
  return isWhole ? parse(first, schema, name) : decodeText(first, schema, name)
}

function decodeText(text: string, schema: unknown, name: string): Json {
  return shapesOf(schema)[0] === 'object' ? parse(text, schema, name) : convertText(text, schema, 'specific')
}

function parse(text: string, schema: unknown, name: string): Json {
  try {
    return parseJsonWithinBounds(text, schema) as Json
  } catch {
    throw new SyntaxError(`${name} is not JSON`)
  }
}
