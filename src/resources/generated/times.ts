/** Times of a generated record. They lie before now and agree: created, started, changed, ended, expired. */
import type { ValuePlace } from './value-place.js'
import { hashText } from './value-place.js'

const day = 86_400_000

/** The words that put a time in the life of a record. The first row that matches decides; the others start it. */
const phases: readonly (readonly [words: RegExp, phase: number])[] = [
  [/\b(?:expir\w*|due|deadline|renew\w*|valid (?:until|to|thru))\b/u, 4],
  [
    /\b(?:deleted|removed|closed|cancell?ed|end|ended|ends|until|to|finish\w*|complet\w*|resolved|archived|stop\w*|checkout|return\w*)\b/u,
    3,
  ],
  [/\b(?:updat\w*|modif\w*|change\w*|edited|last|latest|synced|refreshed|seen|deliver\w*)\b/u, 2],
  [/\b(?:creat\w*|added|insert\w*|regist\w*|joined|ordered|issued?|signup|member since)\b/u, 0],
]
const otherPhase = 1

const phaseOf = (words: string): number => phases.find(([pattern]) => pattern.test(words))?.[1] ?? otherPhase

/** Returns a time of a property, milliseconds since 1970, a whole second. */
export function timeAt(place: ValuePlace): number {
  const { words } = place
  const { now } = place.record
  const years = /\b(?:animal|pet|dog|cat|horse|bird)$/u.test(place.noun) ? 2 : 19
  if (/\b(?:birth\w*|born|dob)\b/u.test(words))
    return floor(now - place.between(years * 365, 4 * years * 365) * day, day)
  const age = ageOf(place) * day
  const phase = age / (phases.length + 2)
  return floor(now - age + phase * (phaseOf(words) + place.below(90) / 100), 1000)
}

/** The age of a record in days. It is that of all its times. A phase is then long enough for a date to have another day than the next. */
const ageOf = ({ record }: ValuePlace): number => {
  const { collection, position, seed } = record
  return 70 + (hashText(`${seed}\0${collection}\0${position}`) % 600)
}

const floor = (time: number, unit: number): number => Math.floor(time / unit) * unit

/** Returns a time of day: an earlier one for a start than for an end. */
export function timeOfDayAt(place: ValuePlace): string {
  const hour = 8 + 2 * phaseOf(place.words) + place.below(2)
  return `${String(hour).padStart(2, '0')}:${String(15 * place.below(4, 'minute')).padStart(2, '0')}:00`
}

export const dateTimeAt = (place: ValuePlace): string => new Date(timeAt(place)).toISOString().replace('.000Z', 'Z')

export const dateAt = (place: ValuePlace): string => dateTimeAt(place).slice(0, 10)
