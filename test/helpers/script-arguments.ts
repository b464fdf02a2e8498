/** Reads the arguments of the scripts: words such as `seconds=5`. */

/** Reads `name=number` from the command line. @throws {TypeError} It is not a whole number from 0. */
export function numberArgument(name: string, byDefault: number): number {
  const text = wordArgument(name)
  if (text === undefined) return byDefault
  if (!/^\d{1,9}$/u.test(text)) throw new TypeError(`${name} must be a whole number from 0, got "${text}"`)
  return Number(text)
}

/** Reads `name=word` from the command line. */
export function wordArgument(name: string): string | undefined {
  return process.argv.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
}
