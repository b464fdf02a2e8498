/** Times of a generated record. They lie before now and agree: created, started, changed, ended, expired. */
import { ValuePlace } from './value-place.js'

const day = 86_400_000

/** The words that put a time in the life of a record: the first row that matches decides. */
const phases: readonly (readonly [words: RegExp, phase: number])[] = [
  [/\b(?:expir|due|deadline|renew|valid (?:until|to|thru))/u, 4],
  [/\b(?:delet|remov|clos|cancel|end|until|to\b|finish|complet|resolv|archiv|stop|checkout|return)/u, 3],
  [/\b(?:updat|modif|chang|edit|last|latest|sync|refresh|seen|deliver)/u, 2],
  [/\b(?:creat|added|insert|regist|joined|ordered|issue|signup|member since)/u, 0],
]
const phaseOf = ({ words }: ValuePlace): number => phases.find(([pattern]) => pattern.test(words))?.[1] ?? 1

const floor = (time: number, unit: number): number => Math.floor(time / unit) * unit

/** Returns a time, milliseconds since 1970, a whole second. */
export function timeAt(place: ValuePlace): number {
  const { now } = place.record
  const years = /\b(?:animal|pet|dog|cat|horse|bird)$/u.test(place.noun) ? 2 : 19
  if (/\b(?:birth|born|dob)/u.test(place.words))
    return floor(now - place.between(years * 365, 4 * years * 365) * day, day)
  // All times of a record have its age. A phase is then long enough for a date to have another day than the next.
  const age = new ValuePlace(place.record).between(70, 670) * day
  return floor(now - age + (age / 6) * (phaseOf(place) + place.draw(90) / 100), 1000)
}

/** Returns a time of day: an earlier one for a start than for an end. */
export const timeOfDayAt = (place: ValuePlace): string =>
  new Date(floor((8 + 2 * phaseOf(place) + place.draw(7) / 4) * 3_600_000, 900_000)).toISOString().slice(11, 19)

export const dateTimeAt = (place: ValuePlace): string => new Date(timeAt(place)).toISOString().replace('.000Z', 'Z')

export const dateAt = (place: ValuePlace): string => dateTimeAt(place).slice(0, 10)
