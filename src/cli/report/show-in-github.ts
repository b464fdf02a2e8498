/** Shows a report in GitHub Actions: annotations in the log, and the Markdown report in the summary of the step. */
import { appendFile } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'

import { environmentVariable, printError } from '../../node-process.js'
import type { RunReport } from './run-report.js'
import { errorsOf, runReportToMarkdown } from './run-report.js'

/** The most violations in the summary of a step. GitHub refuses a summary of more than 1 MiB. */
const maxRows = 300

/** The lines of a contract that document its operations. */
export interface SpecLines {
  /** The path of the spec. */
  readonly file: string
  /** The line of each operation, from 1, by operationId. */
  readonly lines: ReadonlyMap<string, number>
}

/**
 * Shows a report if the process runs in GitHub Actions. Does nothing elsewhere.
 *
 * @param findLines - Finds the lines of the contract. It is called only in GitHub Actions.
 */
export async function showInGitHub(report: RunReport, findLines: () => SpecLines): Promise<void> {
  if (environmentVariable('GITHUB_ACTIONS') !== 'true') return
  const lines = annotations(report, findLines())
  // GitHub reads an annotation only at the start of a line, and the command of `run` may have left one unfinished.
  if (lines !== '') printError(`\n${lines}`)
  const summary = environmentVariable('GITHUB_STEP_SUMMARY')
  if (summary !== undefined) await appendFile(summary, `${runReportToMarkdown(report, maxRows)}\n`)
}

/** Formats each violation as an annotation at the line of its operation. The file is named if it is one of the repository. */
function annotations({ violations }: RunReport, { file, lines }: SpecLines): string {
  const path = relative(environmentVariable('GITHUB_WORKSPACE') ?? '', resolve(file)).replaceAll('\\', '/')
  const isInside = !isAbsolute(path) && !/(?:^|\/)(?:\.\.|node_modules)\//u.test(path)
  return violations
    .flatMap((request) => {
      const { method, operation, url } = request
      const place = isInside ? `file=${escapeProperty(path)},line=${lines.get(operation ?? '') ?? 1},` : ''
      const title = escapeProperty(`${method} ${url}`.trim() || 'Unreadable request')
      return errorsOf(request).map(({ message }) => `::error ${place}title=${title}::${escapeData(message)}\n`)
    })
    .join('')
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
