/** Shows the progress of the load of a large contract on a terminal. */
import { basename } from 'node:path'

import type { ReportProgress } from '../contract/contract.js'
import { isErrorTerminal, replaceErrorLine } from '../node-process.js'

/** The time after which a load counts as long, milliseconds. */
const showAfterMs = 500

/** A line that shows a progress. */
interface ProgressLine {
  readonly onProgress: ReportProgress
  /** Removes the line. */
  end(): void
}

/** Shows the progress of loading a file in one line of standard error, if that is a terminal and the load takes long. */
export function showLoadProgress(file: string): ProgressLine {
  const startedAt = performance.now()
  let isShown = false
  return {
    onProgress: (work) => {
      if (!isErrorTerminal || performance.now() - startedAt < showAfterMs) return
      isShown = true
      replaceErrorLine(`Loading ${basename(file)}: ${work}`)
    },
    end: () => {
      if (isShown) replaceErrorLine('')
      isShown = false
    },
  }
}
