/** Parses the version ranges of `engines`, in the forms that the dependencies use. */

type Version = readonly [major: number, minor: number, patch: number]

const parts = (text: string): readonly number[] =>
  text
    .split('.')
    .filter((part) => /^\d+$/u.test(part))
    .map(Number)

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2]
}

/** Returns the versions that a comparator such as `^20.19` allows: from the first, up to but not including the second. */
function boundsOf(comparator: string): readonly [from: Version, below: Version] {
  const [, operator = '', text = ''] = /^(\^|~|>=|<=|<|>|=)?v?(.*)$/u.exec(comparator) ?? []
  const given = parts(text)
  const [major = 0, minor = 0, patch = 0] = given
  const at: Version = [major, minor, patch]
  const end: Version = [Number.POSITIVE_INFINITY, 0, 0]
  const start: Version = [0, 0, 0]
  const next: Version =
    given.length === 1 ? [major + 1, 0, 0] : given.length === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1]
  if (given.length === 0) return [start, end]
  if (operator === '>=') return [at, end]
  if (operator === '>') return [next, end]
  if (operator === '<') return [start, at]
  if (operator === '<=') return [start, next]
  if (operator === '^') return [at, [major + 1, 0, 0]]
  if (operator === '~') return [at, given.length === 1 ? [major + 1, 0, 0] : [major, minor + 1, 0]]
  return [at, next]
}

/** Tells whether a range such as `^20.19 || >=22` allows a version such as `20.19.0`. */
export function allows(range: string, version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = parts(version)
  const wanted: Version = [major, minor, patch]
  return range.split('||').some((alternative) =>
    alternative
      .replaceAll(/([<>=^~])\s+/gu, '$1')
      .trim()
      .split(/\s+/u)
      .map(boundsOf)
      .every(([from, below]) => compare(from, wanted) <= 0 && compare(wanted, below) < 0),
  )
}
