/** Writes a report to a file. */
import { extname } from 'node:path'

import { realPath } from '../../documents/real-path.js'
import { safeJson } from '../../safe-text.js'
import { writeDurably } from '../../state/durable-file.js'
import { formatJunitReport } from './junit-report.js'
import { markdownReport } from './markdown-report.js'
import type { RunReport } from './run-report.js'

/** The format of a report by the extension of its file. */
const formats: ReadonlyMap<string, (report: RunReport) => string> = new Map([
  ['.json', (report) => `${safeJson(report, 2)}\n`],
  ['.md', (report) => markdownReport(report)],
  ['.xml', formatJunitReport],
])

/** The file extensions of reports. */
export const reportExtensions: readonly string[] = [...formats.keys()]

/** Writes a report in the format of its file's extension. */
export async function writeReport(file: string, report: RunReport): Promise<void> {
  const format = formats.get(extname(file))
  if (format) await writeDurably(await realPath(file), [Buffer.from(format(report))])
}
