/** How much of what a test repeats it does: little in `npm test`, all of it in its long form, `npm run test:long`. */

/** Whether the long form was asked for. */
const isLong = process.env['INSIGHTS_LONG'] === '1'

/** How often something is repeated. @param inShort - In `npm test`. @param inLong - In `npm run test:long`. */
export const often = (inShort: number, inLong: number): number => (isLong ? inLong : inShort)
