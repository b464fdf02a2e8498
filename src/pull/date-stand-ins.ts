const dayMs = 24 * 60 * 60 * 1000
const minuteMs = 60 * 1000

/** The years over which the stand-ins of a fixture are spread, if there are enough of them. */
const years = 30

/** A date, or a date and a time, as in ISO 8601. */
const isoDate = /^(\d{4}-\d\d-\d\d)(?:([Tt ])(\d\d:\d\d)(:\d\d)?(?:([.,])(\d+))?(Z|z|[+-]\d\d(:?)\d\d)?)?$/u

/** Returns the time of a date, milliseconds since 1970. Undefined: the text is no date. */
export function timeOf(text: string): number | undefined {
  const [, date, , time = '00:00', seconds = '', , fraction, zone = 'Z'] = isoDate.exec(text) ?? []
  if (date === undefined) return undefined
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(/(\d\d):?(\d\d)$/u, '$1:$2')
  const second = seconds === ':60' ? ':59' : seconds
  const ms = Date.parse(
    `${date}T${time}${second}${fraction === undefined || second === '' ? '' : `.${fraction}`}${offset}`,
  )
  return Number.isNaN(ms) ? undefined : ms
}

interface Moment {
  readonly texts: string[]
  readonly time: number
  /** The digits behind the seconds: those beyond milliseconds decide between times that are otherwise equal. */
  readonly fraction: string
}

/** Equal times get equal stand-ins, and later ones later stand-ins. @param random - Returns an integer below 2^32 for a key. */
export function replaceDates(texts: readonly string[], random: (key: string) => number): ReadonlyMap<string, string> {
  const moments = new Map<string, Moment>()
  for (const text of texts) {
    const time = timeOf(text) ?? 0
    const fraction = isoDate.exec(text)?.[6]?.replace(/0+$/u, '') ?? ''
    const moment = moments.get(`${time} ${fraction}`) ?? { texts: [], time, fraction }
    moment.texts.push(text)
    moments.set(`${time} ${fraction}`, moment)
  }
  const sorted = [...moments.values()].toSorted(
    (one, other) => one.time - other.time || (one.fraction < other.fraction ? -1 : 1),
  )
  const mostDays = Math.max(1, Math.floor((years * 365) / Math.max(1, sorted.length)))
  let now = Date.UTC(1980, 0, 1) + (random('dates') % 3650) * dayMs
  const result = new Map<string, string>()
  for (const { fraction, texts: equal, time } of sorted) {
    // A date without a time needs a day of its own.
    const stepMs = equal.some((text) => !text.includes(':')) ? dayMs : minuteMs
    const steps = 1 + (random(`${time} ${fraction}`) % (mostDays * (dayMs / stepMs)))
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
  const digits = Array.from(fraction, (_, index) => random(`${time} ${index}`) % 10).join('')
  const offset = /^[+-]/u.test(zone) ? `+00${colon}00` : zone
  const second = `:${String(random(`${time}`) % 60).padStart(2, '0')}`
  return `${iso.slice(0, 10)}${separator}${iso.slice(11, 16)}${seconds === undefined ? '' : second}${point ?? ''}${digits}${offset}`
}

const timeOfDay = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|z|[+-]\d\d:\d\d)?$/u

/** Replaces a time of day by another one. @param bytes - Random bytes. @returns Undefined: the text is no time of day. */
export function replaceTimeOfDay(text: string, bytes: Uint8Array): string | undefined {
  const [whole, hours, minutes, seconds, fraction, zone = ''] = timeOfDay.exec(text) ?? []
  if (whole === undefined) return undefined
  const another = (part: string, limit: number, index: number): string =>
    String((Number(part) + 1 + ((bytes[index] ?? 0) % (limit - 1))) % limit).padStart(part.length, '0')
  const clock = [another(hours ?? '', 24, 0), another(minutes ?? '', 60, 1)]
  if (seconds !== undefined) clock.push(another(seconds, 60, 2))
  const digits = fraction === undefined ? '' : `.${another(fraction, 10 ** Math.min(15, fraction.length), 3)}`
  return clock.join(':') + digits + (/^[+-]/u.test(zone) ? '+00:00' : zone)
}
