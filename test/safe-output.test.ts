/** Tests that data of requests, services and files neither controls a terminal nor becomes markup in a report. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { formatVerifyReport, toTerminal } from '#src/cli/report/verify-report.js'
import { dropTestSandbox, formatSandboxReport } from '#src/runners/test-sandbox.js'
import { markdownBlock, markdownCell } from '#src/safe-text.js'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { exits, run, serveByCommand } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, get, raw, sendJson, wire } from './helpers/http.js'
import { servePlants } from './helpers/plants-spec.js'
import { serveInsights, someInsights, tokens } from './verify/insights-service.js'
import { verify } from './verify/run-verify.js'

/** Characters that a terminal interprets, or that change the lines or the direction of a text. A line break and a tab are allowed. */
const controls = /(?![\n\t])[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u

const hostile =
  '\u001B[31m\u009B31m\u0085\u007F\u202E![x](http://evil.example/x.png)<img src=x>`|[l](http://evil.example) www.evil.example @me'

/** Returns Markdown without its code and without escaped characters: what is left is markup or plain text. */
const markupOf = (markdown: string): string =>
  markdown
    .replaceAll(/^(~{3,})[^]*?^\1$/gmu, '')
    .replaceAll(/\\[!-/:-@[-`{-~]/gu, (escaped) => (escaped === String.raw`\|` ? escaped : ' '))
    .replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/gu, '')

function assertSafe(t: ExecutionContext, text: string, about: string): void {
  t.true(text.length > 0)
  t.notRegex(text, controls, about)
}

function assertSafeMarkdown(t: ExecutionContext, markdown: string): void {
  assertSafe(t, markdown, 'Markdown')
  t.notRegex(markupOf(markdown), /[<[\]]|:\/\/|www\.|@/u)
}

/** Texts that end a code span, a cell, a block or a paragraph of Markdown unless they are escaped. */
const endings = [
  [hostile, '`', '``a`', '\\', '\\`<b>`', 'a|<b>', 'a\\|<b>', 'a\\\\|`<b>', '~~~\n<b>'],
  ['# <b>', '1. <b>', '- <b>', '&lt;', ' `', '**<b>**', '<!--'],
].flat()

test('no text ends the code, the cell or the block of Markdown that it is in', (t) => {
  for (const text of endings) {
    assertSafeMarkdown(t, markdownCell(text))
    assertSafeMarkdown(t, markdownBlock('text', [text]).join('\n'))
    // A cell ends at a bar that an even number of backslashes precedes.
    t.notRegex(markdownCell(text), /(?<!\\)(?:\\\\)*\|/u, text)
  }
})

test('requests and responses bring no control character and no markup into the log, the reports and GitHub', async (t) => {
  for (const extension of ['md', 'json', 'xml']) {
    const report = join(await temporaryFolder(t), `report.${extension}`)
    const summary = await writeTemporary(t, 'summary.md', '')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
    const double = await serveByCommand(t, ['--memory', '--report', report], { env })
    for (const part of [hostile, ...endings]) {
      await get(double, `/insights?limit=${encodeURIComponent(part)}`, as('ada'))
      await get(double, `/insights?limit=<img/src=x>![x](http://evil.example)\`|`, as('ada'))
      const request = wire(`GET /insights?limit=${part.replaceAll(/\s/gu, '')}`, ['Connection: close'])
      await raw(double, Buffer.from(request, 'latin1'))
    }
    const { stderr, stdout } = await double.end()
    t.regex(stderr, /^::error /mu)
    const written = await readFile(report, 'utf8')
    for (const text of [stdout, stderr, written]) assertSafe(t, text, extension)
    if (extension === 'md') assertSafeMarkdown(t, written)
    assertSafeMarkdown(t, await readFile(summary, 'utf8'))
  }
})

test('responses of a service bring no control character and no markup into the reports of verify', async (t) => {
  const service = await serveInsights(t, someInsights(), {
    show: (insight) => ({ ...insight, content: hostile, [hostile]: hostile }),
    change: (answer) => {
      answer.headers = { ...answer.headers, 'www-authenticate': '<img src=x> ![x](http://evil.example)' }
      if (answer.status === 400) answer.body = hostile
      if (answer.status === 404) answer.body = { error: 404, message: hostile, [hostile]: [hostile] }
    },
  })
  const { report } = await verify(service.url)
  const named = { ...report, service: 'service' }
  t.true(JSON.stringify(report).includes('evil.example'))
  for (const extension of ['md', 'json', 'xml']) assertSafe(t, formatVerifyReport(`r.${extension}`, named), extension)
  assertSafe(t, toTerminal(report), 'terminal')
  assertSafeMarkdown(t, formatVerifyReport('r.md', named))
})

test('a pulled fixture and a printed state have no control character, and keep their values', async (t) => {
  const insights = [{ id: 'in-1', content: hostile, access: Object.keys(tokens) }]
  const service = await serveInsights(t, insights)
  const words = ['--caller', 'ada=env:ADA_TOKEN', '--pace', '1000']
  const pulled = await run(t, ['pull', service.url, ...words], { env: { ADA_TOKEN: tokens['ada'] ?? '' } })
  const double = await serve(t, {
    fixture: { $callers: { ada: { token: 'ada-token' } }, insights: [{ content: hostile }] },
  })
  const state = await run(t, ['state', '--url', double.url])
  const out = join(await temporaryFolder(t), 'out.json')
  await run(t, ['state', '--url', double.url, '--out', out])
  for (const text of [pulled.stdout, state.stdout, await readFile(out, 'utf8')]) {
    assertSafe(t, text, 'fixture')
    t.is(asList(asObject(JSON.parse(text))['insights']).map(asObject)[0]?.['content'], hostile)
  }
})

test('problems and errors have no control character', async (t) => {
  const name = hostile.replaceAll('/', '')
  const wrong = { $callers: { ada: { token: 'x' } }, insights: [{ content: 1 }], [name]: [] }
  const file = await writeTemporary(t, 'wrong.json', wrong)
  const checked = await exits(t, 1, ['check', file])
  assertSafe(t, checked.stdout + checked.stderr, 'check')
  t.is(checked.stdout.split('\n').length, 4)
  const error = await t.throwsAsync(serve(t, { fixture: file }))
  assertSafe(t, error.message, 'startDouble')
  const schema = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: { type: 'integer' } }
  const sandbox = await (await servePlants(t, [], { schema })).sandbox()
  await sendJson(sandbox, 'POST', '/plants', { [hostile]: 'x' }, as('ada'))
  const report = await dropTestSandbox(sandbox, { hasFailed: true, expectViolations: false })
  t.regex(report?.violations ?? '', /u009b31m.*must be integer/u)
  assertSafe(t, report ? formatSandboxReport(report) : '', 'a failed test')
})
