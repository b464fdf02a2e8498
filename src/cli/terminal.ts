import { basename } from 'node:path'

import type { ReportProgress } from '../contract/contract.js'
import { isErrorTerminal, replaceErrorLine } from '../node-process.js'
import { safeJson, safeLine } from '../safe-text.js'
import type { RequestSummary } from '../sandbox/journal-entry.js'

export const logFormats = ['pretty', 'json', 'silent'] as const

/** The longest time that lines are buffered, milliseconds. One write for each request would take longer than the request. */
const bufferMs = 50

export function createLineWriter(print: (text: string) => void): { write(line: string): void; flush(): void } {
  let buffered: string[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (buffered.length > 0) print(`${buffered.join('\n')}\n`)
    buffered = []
  }
  return {
    write: (line) => {
      buffered.push(line)
      timer ??= setTimeout(flush, bufferMs)
    },
    flush,
  }
}

/** Formats a journal entry as one line; as `pretty`, with one more line for each violation. Escapes control characters. */
export function formatRequest(entry: RequestSummary, format: 'pretty' | 'json'): string {
  if (format === 'json') return safeJson({ event: 'exchange', ...entry })
  const { caller, durationMs, fault, method, note, sandbox, status, time, url, violations } = entry
  const prefix = sandbox === 'root' ? [] : [`[${sandbox}]`]
  const took = `${durationMs.toFixed(1)} ms`
  const line = [time.slice(11, 23), ...prefix, method, url, String(status ?? 'cut'), caller ?? '-', took]
  const reasons = [fault, note].filter((reason) => reason !== null)
  const violationLines = violations.map(
    ({ message, severity }) => `    ${severity === 'Error' ? 'violation' : 'warning'}  ${message}`,
  )
  return [line.join('  '), ...reasons.map((text) => `    ${text}`), ...violationLines].map(safeLine).join('\n')
}

/** Formats numbers of records and callers, such as `12 orders, 3 callers`. */
export const formatCounts = (collections: Readonly<Record<string, number>>, callers?: number): string =>
  [...Object.entries(collections), ...(callers === undefined ? [] : [['callers', callers] as const])]
    .map(([name, count]) => `${count} ${count === 1 && name === 'callers' ? 'caller' : name}`)
    .join(', ') || 'no collections'

const showAfterMs = 500

/** Loads a file. If standard error is a terminal and the load takes long, shows the progress in one line. */
export async function loadWithProgress<T>(file: string, load: (onProgress: ReportProgress) => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  let isShown = false
  try {
    return await load((work) => {
      if (!isErrorTerminal() || performance.now() - startedAt < showAfterMs) return
      isShown = true
      replaceErrorLine(`Loading ${basename(file)}: ${work}`)
    })
  } finally {
    if (isShown) replaceErrorLine('')
  }
}
