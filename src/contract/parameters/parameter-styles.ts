/**
 * How parameters are written: the styles of OpenAPI (Parameter Object, "Style Values"), taken apart into texts.
 *
 * Delimiters are looked for before percent-decoding, as RFC 6570 demands: `a%2Cb` is one item with a comma in it.
 */
import type { Parameter } from '../contract.js'

/** A value taken apart, all of it still text. */
export type Text = string | readonly Text[] | { readonly [name: string]: Text }

/** What a text is taken apart into. */
export type Shape = 'primitive' | 'array' | 'object'

/** A name and a value as they stand in a query, a form or a Cookie header. */
export interface Pair {
  /** Percent-decoded. */
  readonly name: string
  /** As it was sent. */
  readonly raw: string
}

/** What was found of a parameter. */
export interface FoundParameter {
  /** What was sent, decoded, for messages. Empty: the parameter was not given. */
  readonly texts: readonly string[]
  /** Undefined where it was not given, or is written wrongly. */
  readonly text: Text | undefined
  /** Why it could not be taken apart: given more than once, or not written in its style. */
  readonly mistake?: 'repeated' | 'style' | undefined
}

/** How something is written that has a style: a parameter, or a property of a form. */
export type StyledParameter = Pick<Parameter, 'name' | 'style' | 'explode'>

const absent: FoundParameter = { texts: [], text: undefined }

/** Decodes what a query or a form has: `+` is a space, and what is no percent-encoding stands for itself. */
export function decodeQueryText(raw: string): string {
  if (!/[+%]/u.test(raw)) return raw
  return new URLSearchParams(`x=${raw}`).get('x') ?? ''
}

/** Splits a query or a form into its pairs. */
export function splitPairs(text: string, separator: string | RegExp = '&'): readonly Pair[] {
  return text.split(separator).flatMap((part) => {
    if (part === '') return []
    const at = part.indexOf('=')
    return [{ name: decodeQueryText(at === -1 ? part : part.slice(0, at)), raw: at === -1 ? '' : part.slice(at + 1) }]
  })
}

const delimiters: Readonly<Record<string, RegExp>> = {
  form: /,/u,
  spaceDelimited: /%20|\+/u,
  pipeDelimited: /\||%7C/iu,
}

/**
 * Takes apart what a query, a form or a Cookie header says of a parameter.
 *
 * @param isOwn - Whether a pair's name is a property of an object that is spread over the query.
 */
export function readPairs(
  { explode, name, style }: StyledParameter,
  shape: Shape,
  pairs: readonly Pair[],
  isOwn: (name: string) => boolean,
): FoundParameter {
  if (style === 'deepObject' && shape !== 'primitive') return readDeepObject(name, pairs)
  if (shape === 'object' && explode) {
    const own = pairs.filter((pair) => isOwn(pair.name))
    if (own.length === 0) return absent
    return { texts: own.map(show), text: group(own.map(({ name: key, raw }) => [key, decodeQueryText(raw)])) }
  }
  const given = pairs.filter((pair) => pair.name === name).map(({ raw }) => raw)
  const texts = given.map(decodeQueryText)
  const [first] = given
  if (first === undefined) return absent
  if (shape === 'array' && explode) return { texts, text: texts }
  if (given.length > 1) return { texts, text: undefined, mistake: 'repeated' }
  if (shape === 'primitive') return { texts, text: decodeQueryText(first) }
  const parts = first.split(delimiters[style] ?? /,/u)
  const items = parts.map(decodeQueryText)
  return shape === 'array' ? { texts, text: items } : objectOf(texts, alternate(items))
}

const show = ({ name, raw }: Pair): string => `${name}=${decodeQueryText(raw)}`

/** `filter[tag]=care`, also nested and repeated, which OpenAPI leaves undefined and clients send. */
function readDeepObject(name: string, pairs: readonly Pair[]): FoundParameter {
  const own = pairs.filter((pair) => pair.name.startsWith(`${name}[`))
  if (own.length === 0) return absent
  const texts = own.map(show)
  const entries = own.map((pair) => {
    const inside = pair.name.slice(name.length)
    const keys = /^(?:\[[^[\]]*\])+$/u.test(inside) ? inside.slice(1, -1).split('][') : undefined
    return { keys, value: decodeQueryText(pair.raw) }
  })
  if (entries.some(({ keys }) => keys === undefined)) return { texts, text: undefined, mistake: 'style' }
  return { texts, text: nest(entries.map(({ keys = [], value }) => ({ keys, value }))) }
}

function nest(entries: readonly { keys: readonly string[]; value: string }[]): Text {
  const names = [...new Set(entries.map(({ keys }) => keys[0] ?? ''))]
  // `[]` is how arrays are written where arrays are written at all.
  if (names.length === 1 && names[0] === '') return entries.map(({ value }) => value)
  return Object.fromEntries(
    names.map((name) => {
      const own = entries.filter(({ keys }) => (keys[0] ?? '') === name)
      const ends = own.filter(({ keys }) => keys.length <= 1).map(({ value }) => value)
      if (ends.length === own.length) return [name, ends.length === 1 ? (ends[0] ?? '') : ends]
      return [name, nest(own.map(({ keys, value }) => ({ keys: keys.slice(1), value })))]
    }),
  )
}

/** Takes apart what a path segment or a header field says of a parameter. @param decode - Decodes one part. */
export function readText(
  styled: StyledParameter,
  shape: Shape,
  raw: string,
  decode: (part: string) => string,
): FoundParameter {
  const texts = [decode(raw)]
  const wrong: FoundParameter = { texts, text: undefined, mistake: 'style' }
  const { explode, name, style } = styled
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : ''
  if (!raw.startsWith(prefix)) return wrong
  const body = raw.slice(prefix.length)
  const separator = explode && prefix !== '' ? prefix : ','
  const split = (text: string): string[] => text.split(separator).map((part) => (prefix === '' ? part.trim() : part))
  const isNamed = style === 'matrix' && !(shape === 'object' && explode)
  if (isNamed && shape === 'array' && explode) {
    const parts = split(body).map((part) => withoutName(part, name))
    const items = parts.filter((part) => part !== undefined)
    return items.length === parts.length ? { texts, text: items.map(decode) } : wrong
  }
  const value = isNamed ? withoutName(body, name) : body
  if (value === undefined) return wrong
  if (shape === 'primitive') return { texts, text: decode(value) }
  if (shape === 'array') return { texts, text: split(value).map(decode) }
  if (!explode) return objectOf(texts, alternate(split(value).map(decode)))
  const entries = split(value).map((part) => {
    const at = part.indexOf('=')
    return at === -1 ? undefined : ([decode(part.slice(0, at)), decode(part.slice(at + 1))] as const)
  })
  const whole = entries.filter((entry) => entry !== undefined)
  return objectOf(texts, whole.length === entries.length ? whole : undefined)
}

/** `;color=blue` without its name. RFC 6570 leaves the equals sign out where the value is empty. */
function withoutName(part: string, name: string): string | undefined {
  if (part === name) return ''
  return part.startsWith(`${name}=`) ? part.slice(name.length + 1) : undefined
}

function objectOf(
  texts: readonly string[],
  entries: readonly (readonly [string, string])[] | undefined,
): FoundParameter {
  return entries ? { texts, text: group(entries) } : { texts, text: undefined, mistake: 'style' }
}

/** `R,100,G,200` as entries. Undefined where a value is missing. */
function alternate(items: readonly string[]): (readonly [string, string])[] | undefined {
  if (items.length % 2 === 1) return undefined
  return items.flatMap((name, index) => (index % 2 === 0 ? [[name, items[index + 1] ?? ''] as const] : []))
}

function group(entries: readonly (readonly [string, string])[]): Text {
  return Object.fromEntries(
    [...new Set(entries.map(([name]) => name))].map((name) => {
      const values = entries.filter(([other]) => other === name).map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** Shows how a parameter is written. */
export function styleExample({ explode, name, style }: StyledParameter, shape: Shape): string {
  const list = shape === 'object' ? (explode ? ['key=value', 'other=value'] : ['key,value']) : ['value']
  if (style === 'deepObject') return `${name}[key]=value`
  if (style === 'label') return `.${list.join('.')}`
  if (style === 'matrix') return shape === 'object' && explode ? `;${list.join(';')}` : `;${name}=${list.join()}`
  return list.join()
}
