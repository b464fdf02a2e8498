/** The number of repetitions in a test: few in `npm test`, all in its long form, `npm run test:long`. */

const isLong = process.env['INSIGHTS_LONG'] === '1'

/** Returns the number of repetitions. @param inShort - In `npm test`. @param inLong - In `npm run test:long`. */
export const often = (inShort: number, inLong: number): number => (isLong ? inLong : inShort)
