/** Combinations of fast-check's generators that the requests share. */
import fc from 'fast-check'

type Arbitrary<T> = fc.Arbitrary<T>
export type Text = string | Arbitrary<string>

const arbitrary = (text: Text): Arbitrary<string> => (typeof text === 'string' ? fc.constant(text) : text)

/** One of several texts, which spaces separate. */
export const words = (texts: string): Arbitrary<string> => fc.constantFrom(...texts.split(' '))

/** One of several texts, which bars separate. */
export const texts = (barred: string): Arbitrary<string> => fc.constantFrom(...barred.split('|'))

/** The first one with a probability in percent, or else the other. */
export const mostly = <T>(percent: number, one: Arbitrary<T>, other: Arbitrary<T>): Arbitrary<T> =>
  fc.oneof({ weight: percent, arbitrary: one }, { weight: 100 - percent, arbitrary: other })

/** True with a probability in percent. */
export const happens = (percent: number): Arbitrary<boolean> => mostly(percent, fc.constant(true), fc.constant(false))

/** One of several texts, by their weights. */
export const weighted = (...rows: readonly (readonly [weight: number, text: Text])[]): Arbitrary<string> =>
  fc.oneof(...rows.map(([weight, text]) => ({ weight, arbitrary: arbitrary(text) })))

/** Several parts, one after the other. */
export const joined = (...parts: readonly Text[]): Arbitrary<string> =>
  fc.tuple(...parts.map(arbitrary)).map((all) => all.join(''))

/** The same text, or its repetitions. */
export const repeated = (text: string, ...times: readonly number[]): Arbitrary<string> =>
  fc.constantFrom(...times).map((each) => text.repeat(each))

/** A function that changes a text in one to four places: it removes, repeats, replaces and adds. */
export const changes = (marks: Arbitrary<string>): Arbitrary<(text: string) => string> =>
  fc
    .array(
      fc.record({
        at: fc.nat(),
        size: fc.oneof(fc.nat(1), fc.nat(4), fc.nat(40)),
        change: fc.oneof(
          fc.constantFrom(0, 2, 50).map((times) => (old: string) => old.repeat(times)),
          marks.map((mark) => () => mark),
          marks.map((mark) => (old: string) => mark + old),
        ),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map(
      (places) => (given) =>
        places.reduce((text, { at, change, size }) => {
          const start = at % (text.length + 1)
          return text.slice(0, start) + change(text.slice(start, start + size)) + text.slice(start + size)
        }, given),
    )
