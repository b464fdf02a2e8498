/** Says what happens, line by line: for people or for programs. */
import type { JournalEntry } from '../sandbox/journal.js'

/** How requests are logged. */
export const logFormats = ['pretty', 'json', 'silent'] as const

/** How long lines are gathered before they are written, milliseconds. One write a request would cost more than the request. */
const gatherMs = 50

/** Writes lines, several at a time. */
export interface LineWriter {
  write(line: string): void
  /** Writes what is still gathered. */
  flush(): void
}

/** Makes a writer of lines. */
export function createLineWriter(print: (text: string) => void): LineWriter {
  let gathered: string[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (gathered.length > 0) print(`${gathered.join('\n')}\n`)
    gathered = []
  }
  return {
    write: (line) => {
      gathered.push(line)
      timer ??= setTimeout(flush, gatherMs)
    },
    flush,
  }
}

/** One line for an exchange, and in `pretty` one more for each violation. No raw control characters, whatever was sent. */
export function formatRequest(entry: JournalEntry, format: 'pretty' | 'json'): string {
  if (format === 'json') return escapeControlCharacters(JSON.stringify({ event: 'exchange', ...entry }))
  const { caller, durationMs, fault, method, note, sandbox, status, time, url, violations } = entry
  const where = sandbox === 'root' ? [] : [`[${sandbox}]`]
  const line = [
    time.slice(11, 23),
    ...where,
    method,
    url,
    String(status ?? 'cut'),
    caller ?? '-',
    `${durationMs.toFixed(1)} ms`,
  ]
  const why = [...(fault === null ? [] : [fault]), ...(note === null ? [] : [note])]
  const broken = violations.map(
    ({ message, severity }) => `    ${severity === 'Error' ? 'violation' : 'warning'}  ${message}`,
  )
  return [line.join('  '), ...why.map((text) => `    ${text}`), ...broken].map(escapeControlCharacters).join('\n')
}

/** Shows control characters instead of letting the terminal obey them. */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Writes numbers of records and callers, such as `12 orders, 3 callers`. */
export const countsText = (collections: Readonly<Record<string, number>>, callers?: number): string =>
  [...Object.entries(collections), ...(callers === undefined ? [] : [['callers', callers] as const])]
    .map(([name, count]) => `${count} ${count === 1 && name === 'callers' ? 'caller' : name}`)
    .join(', ') || 'no collections'
