/** Shows the progress of the load of a large contract on a terminal. */
import { basename } from 'node:path'

import type { ReportProgress } from '../contract/contract.js'
import { isErrorTerminal, printError } from '../node-process.js'
import { escapeControlCharacters } from './request-log.js'

/** The time after which a load counts as long, milliseconds. */
const showAfterMs = 500

/** A line that shows a progress. */
interface ProgressLine {
  readonly onProgress: ReportProgress
  /** Removes the line. */
  end(): void
}

/** The control sequence that goes to the start of the line and clears it. */
const clearLine = '\r\u001B[K'

/** Shows the progress of loading a file in one line of standard error, if that is a terminal and the load takes long. */
export function showLoadProgress(file: string): ProgressLine {
  const startedAt = performance.now()
  let isShown = false
  return {
    onProgress: (work) => {
      if (!isErrorTerminal || performance.now() - startedAt < showAfterMs) return
      isShown = true
      printError(`${clearLine}Loading ${escapeControlCharacters(basename(file))}: ${work}`)
    },
    end: () => {
      if (isShown) printError(clearLine)
      isShown = false
    },
  }
}
