/** Creates stand-ins for texts and numbers: of the same length, format and bounds, equal for equal values and different for different ones. */
import { createHash, randomBytes } from 'node:crypto'

import { possibleSchemas } from '../contract/schemas/read-schema.js'
import type { JsonObject } from '../documents/object.js'
import { numberingOf } from '../resources/ids.js'

/** The most tries to find a stand-in of the same length. A short value has few. */
const maxTries = 200

export type StandIns = ReturnType<typeof createStandIns>

/**
 * The `variant` of each function: another one gives another stand-in.
 * @param values - All values that are to be replaced.
 * @param names - A name for each, which says nothing about it: stand-ins are then made of the name and the shape only.
 */
export function createStandIns(values: ReadonlySet<string | number>, names?: ReadonlyMap<string | number, string>) {
  /** Random, so that nobody can compute the stand-ins. Numbered ones say nothing about their values. */
  const salt = names ? '' : randomBytes(16).toString('hex')
  const originals: ReadonlySet<string | number> = names ? new Set() : values
  const known = new Map<string, string | number>()
  const taken = new Set<string | number>()
  const bytesFor = (key: string, length: number): Buffer => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
      createHash('sha256').update(`${index} ${salt} ${key}`).digest(),
    )
    return Buffer.concat(blocks)
  }
  const random = (key: string): number => bytesFor(key, 4).readUInt32LE()
  const dateTexts = [...values].map(String).filter((value) => timeOf(value) !== undefined)
  const dates = replaceDates(dateTexts, random, names !== undefined)
  const shapeOf = (value: string): string => {
    if (!names) return value
    if (uuid.test(value)) return '00000000-0000-4000-8000-000000000000'
    return value.replaceAll(/[a-z]/gu, 'a').replaceAll(/[A-Z]/gu, 'A').replaceAll(/\d/gu, '0')
  }

  const keep = <T extends string | number>(value: T, about: string, made: T): T => {
    const name = `${typeof value} ${about} ${value}`
    if (!known.has(name)) known.set(name, made)
    taken.add(made)
    return made
  }

  /** @param create - Creates a candidate. `isLate`: there is no free one of the same length. */
  function standIn<T extends string | number>(
    value: T,
    about: string,
    isFit: (made: T) => boolean,
    create: (key: string, isLate: boolean) => T,
  ): T {
    const kept = known.get(`${typeof value} ${about} ${value}`)
    if (kept !== undefined) return kept as T
    // A number may be that of a text.
    const name = names ? (names.get(value) ?? names.get(String(value)) ?? '') : value
    let made = value
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const isLate = attempt > maxTries / 2
      made = create(`${attempt} ${typeof value} ${about} ${name}`, isLate)
      const isFree = !taken.has(made) && (isLate || !originals.has(made))
      if ((made !== value || names) && isFree && isFit(made)) break
    }
    return keep(value, about, made)
  }

  const number = (value: number, schema: unknown, variant: number): number => {
    const { least, most, step } = boundsOf(schema, value)
    const count = step === undefined ? Infinity : Math.floor((most - least) / step) + 1
    const about = `${least} ${most} ${step}`
    if (count <= 1) return value
    // A rotation, because a choice of a few values might leave the last one only its own.
    if (step !== undefined && count <= 1000) {
      const shift = 1 + (random(`${about} ${variant}`) % (count - 1))
      const named = names && [...names.keys()].indexOf(value)
      const place = named ?? Math.round((value - least) / step)
      const index = (place + shift) % count
      return keep(value, `${variant}`, Number((least + index * step).toFixed(decimalsOf(step))))
    }
    const isFit = (made: number): boolean => made >= least && made <= most && isMultiple(made, step)
    const shared = known.get(`number ${variant} ${value}`)
    const key = typeof shared === 'number' && !isFit(shared) ? `${variant} ${about}` : `${variant}`
    return standIn(value, key, isFit, (seed, isLate) => {
      const shape = shapeOf(String(isLate ? value * 10 : value)).replaceAll('0', '1')
      const made = numberLike(Number(shape), bytesFor(seed, 24))
      if (isFit(made)) return made
      const from = Math.max(least, Math.min(most, names ? 0 : value) - 1e6 * (step ?? 1))
      const within = from + (Math.min(most, from + 2e6 * (step ?? 1)) - from) * (random(seed) / 2 ** 32)
      const snapped = step === undefined ? within : Math.ceil(within / step) * step
      return Number(snapped.toFixed(Math.max(decimalsOf(value), decimalsOf(step ?? 1))))
    })
  }

  const text = (value: string, schema: unknown, variant: number): string => {
    const date = value === '' ? value : dates.get(value)
    if (date !== undefined) return date
    // Alternatives have rules that the value need not fit.
    const parts = possibleSchemas(schema)
    const patterns = parts.map(({ pattern }) => pattern).filter((pattern) => typeof pattern === 'string')
    const fitted = patterns.map((pattern) => new RegExp(pattern, 'u')).filter((pattern) => pattern.test(value))
    const isShort = parts.some(({ maxLength }) => typeof maxLength === 'number')
    const isFit = (made: string): boolean => fitted.every((pattern) => pattern.test(made))
    // A number in a text may refer to a number elsewhere.
    if (/^[1-9]\d{0,14}$/u.test(value)) {
      const made = String(number(Number(value), {}, variant))
      if (isFit(made)) return made
    }
    const numbering = fitted.map(({ source }) => numberingOf(source)).find((each) => each !== undefined)
    return standIn(value, `${variant}`, isFit, (key, isLate) => {
      if (isLate && numbering) return numbering(random(key) % 1_000_000_000) ?? value
      return textLike(shapeOf(isLate && !isShort ? `${value}x` : value), bytesFor(key, value.length + 1))
    })
  }

  return { number, text }
}

/** Returns the least and the most value, and the step between values. Undefined: any number is between them. */
function boundsOf(schema: unknown, value: number) {
  const parts = possibleSchemas(schema)
  const numbers = (keyword: string): readonly number[] =>
    parts.map((part: JsonObject) => part[keyword]).filter((each) => typeof each === 'number')
  const multiple = Math.max(0, ...numbers('multipleOf').filter((each) => isMultiple(value, each)))
  const step = multiple > 0 ? multiple : Number.isInteger(value) ? 1 : undefined
  const unit = step ?? 10 ** -decimalsOf(value)
  const limit = parts.some(({ format }) => format === 'int32') ? 2 ** 31 : Infinity
  const lower = [-limit, ...numbers('minimum'), ...numbers('exclusiveMinimum').map((bound) => bound + unit)]
  const upper = [limit - 1, ...numbers('maximum'), ...numbers('exclusiveMaximum').map((bound) => bound - unit)]
  // Alternatives have bounds that the value need not be in.
  const least = Math.max(...lower.filter((bound) => bound <= value))
  const most = Math.min(...upper.filter((bound) => bound >= value))
  if (step === undefined) return { least, most, step }
  return { least: Math.ceil(least / step) * step, most: Math.floor(most / step) * step, step }
}

const isMultiple = (value: number, step: number | undefined): boolean =>
  step === undefined || Math.abs(value / step - Math.round(value / step)) < 1e-6

const decimalsOf = (value: number): number => /\.(\d+)$/u.exec(String(value))?.[1]?.length ?? 0

const digits = '0123456789'
const alphabets = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', digits] as const
const hexadecimals = ['0123456789abcdef', '0123456789ABCDEF'] as const

/** A UUID, a hash or a hardware address. */
const hexadecimal = /^(?=.*\d)(?=.*[a-f])[\da-f:-]+$/iu
const duration = /^P(?:\d+[YMWD])*(?:T[\d.HMS]+)?$/u
const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/u

const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/iu

/** Replaces each letter by another letter, each digit by another digit, and each character that is not ASCII by a letter. */
function textLike(text: string, bytes: Uint8Array): string {
  const time = replaceTimeOfDay(text, bytes)
  if (time !== undefined) return time
  if (ipv4.test(text))
    return text.replaceAll(/\d+/gu, (part, at: number) => `${1 + ((Number(part) + ((bytes[at] ?? 0) % 253)) % 254)}`)
  const own = duration.test(text) ? [digits] : hexadecimal.test(text) ? hexadecimals : alphabets
  const [scheme = ''] = /^(?:https?:\/\/|mailto:|tel:)/u.exec(text) ?? []
  const isUuid = uuid.test(text)
  const characters = Array.from(text.slice(scheme.length))
  const replaced = characters.map((character, index) => {
    if (isUuid && (index === 14 || index === 19)) return character
    const isEncoded = characters[index - 1] === '%' || characters[index - 2] === '%'
    const alphabet = (isEncoded ? hexadecimals : own).find((each) => each.includes(character))
    if (alphabet !== undefined) return another(alphabet, character, bytes[index] ?? 0)
    return character > '\u007f' ? another(alphabets[0], '', bytes[index] ?? 0) : character
  })
  return scheme + replaced.join('')
}

/** Replaces each digit by another one. A number below 1 stays below 1. */
function numberLike(value: number, bytes: Uint8Array): number {
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e')
  const isFraction = mantissa.startsWith('0.')
  const replaced = Array.from(mantissa, (digit, index) => {
    if (digit === '.' || (index === 0 && isFraction)) return digit
    return another(index === 0 ? '123456789' : digits, digit, bytes[index] ?? 0)
  })
  return Math.sign(value || 1) * Number(replaced.join('') + (exponent === undefined ? '' : `e${exponent}`))
}

function another(alphabet: string, character: string, byte: number): string {
  const others = alphabet.replace(character, '')
  return others[byte % others.length] ?? ''
}

const dayMs = 24 * 60 * 60 * 1000
const minuteMs = 60 * 1000

/** The years over which the stand-ins of a fixture are spread, if there are enough of them. */
const years = 30

const isoDate = /^(\d{4}-\d\d-\d\d)(?:([Tt ])(\d\d:\d\d)(:\d\d)?(?:([.,])(\d+))?(Z|z|[+-]\d\d(:?)\d\d)?)?$/u

/** Returns the time of a date, milliseconds since 1970. Undefined: the text is no date. */
function timeOf(text: string): number | undefined {
  const [, date, , time = '00:00', seconds = '', , fraction, zone = 'Z'] = isoDate.exec(text) ?? []
  if (date === undefined) return undefined
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(/(\d\d):?(\d\d)$/u, '$1:$2')
  const second = seconds === ':60' ? ':59' : seconds
  const decimals = fraction === undefined || second === '' ? '' : `.${fraction}`
  const ms = Date.parse(`${date}T${time}${second}${decimals}${offset}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Equal times get equal stand-ins, and later ones later stand-ins. @param random - Returns an integer below 2^32 for a key. */
function replaceDates(texts: readonly string[], random: (key: string) => number, isNumbered: boolean) {
  const moments = new Map<string, { readonly texts: string[]; readonly time: number; readonly fraction: string }>()
  for (const text of texts) {
    const time = timeOf(text) ?? 0
    // The digits beyond milliseconds decide between times that are otherwise equal.
    const fraction = isoDate.exec(text)?.[6]?.replace(/0+$/u, '') ?? ''
    const key = `${time} ${fraction}`
    moments.set(key, { texts: [...(moments.get(key)?.texts ?? []), text], time, fraction })
  }
  const sorted = [...moments.values()].toSorted(
    (one, other) => one.time - other.time || (one.fraction < other.fraction ? -1 : 1),
  )
  const mostDays = Math.max(1, Math.floor((years * 365) / Math.max(1, sorted.length)))
  let now = Date.UTC(1980, 0, 1) + (random('dates') % 3650) * dayMs
  const result = new Map<string, string>()
  for (const [index, { fraction, texts: equal, time }] of sorted.entries()) {
    // A date without a time needs a day of its own.
    const stepMs = equal.some((text) => !text.includes(':')) ? dayMs : minuteMs
    const steps = 1 + (random(isNumbered ? `${index}` : `${time} ${fraction}`) % (mostDays * (dayMs / stepMs)))
    now = (Math.floor(now / stepMs) + steps) * stepMs
    if (Math.floor(now / dayMs) === Math.floor(time / dayMs)) now += dayMs
    for (const text of equal) result.set(text, formatLike(text, now, random))
  }
  return result
}

function formatLike(text: string, time: number, random: (key: string) => number): string {
  const [, , separator, , seconds, point, fraction = '', zone = '', colon = ''] = isoDate.exec(text) ?? []
  const iso = new Date(time).toISOString()
  if (separator === undefined) return iso.slice(0, 10)
  const decimals = Array.from(fraction, (_, index) => random(`${time} ${index}`) % 10).join('')
  const offset = /^[+-]/u.test(zone) ? `+00${colon}00` : zone
  const second = `:${String(random(`${time}`) % 60).padStart(2, '0')}`
  return `${iso.slice(0, 10)}${separator}${iso.slice(11, 16)}${seconds === undefined ? '' : second}${point ?? ''}${decimals}${offset}`
}

const timeOfDay = /^(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|z|[+-]\d\d:\d\d)?$/u

/** Replaces a time of day by another one. @param bytes - Random bytes. @returns Undefined: the text is no time of day. */
function replaceTimeOfDay(text: string, bytes: Uint8Array): string | undefined {
  const [, clock, zone = ''] = timeOfDay.exec(text) ?? []
  const replaced = clock?.replaceAll(/\d+/gu, (part, at: number) => {
    const limit = at === 0 ? 24 : at < 8 ? 60 : 10 ** Math.min(15, part.length)
    return String((Number(part) + 1 + ((bytes[at] ?? 0) % (limit - 1))) % limit).padStart(part.length, '0')
  })
  return replaced && replaced + (/^[+-]/u.test(zone) ? '+00:00' : zone)
}
