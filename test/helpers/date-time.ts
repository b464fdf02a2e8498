/** Parses RFC 3339 date-times number by number, for the independent validator. The double does not use it. */

const parts = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/iu

/** Tells whether a text is a date-time of RFC 3339: an existing day, an existing time, and a possible offset. */
export function isDateTime(text: string): boolean {
  // A date-time has visible ASCII characters only.
  if (/[^\x21-\x7e]/u.test(text)) return false
  const found = parts.exec(text)
  if (!found) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  const sign = found[8] === '-' ? -1 : 1
  const [offsetHour = 0, offsetMinute = 0] = found.slice(9, 11).map((part) => Number(part ?? 0))
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  // A leap second is the last second before midnight UTC.
  const minutes = hour * 60 + minute - sign * (offsetHour * 60 + offsetMinute)
  return second === 60 && ((minutes % 1440) + 1440) % 1440 === 1439
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
