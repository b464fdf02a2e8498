/**
 * Verifies json-server and WireMock, each configured as an Insights service, and writes the reports as pages of `docs/`. Needs npm's
 * registry, and Java.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { formatVerifyReport } from '#src/cli/report/verify-report.js'

import { type ComparedServer, start } from '../bench/compared-servers.js'
import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { print } from '../helpers/scripts.js'
import { verify } from './run-verify.js'
import { prepareJsonServer, prepareWireMock, readFixture, removable } from './set-up-other-doubles.js'

/** A page of `docs/`. */
interface Page {
  readonly title: string
  readonly file: string
  /** The URL in the page. It replaces the URL of the run, whose port differs each time. */
  readonly url: string
  readonly introduction: string
  readonly prepare: (folder: string) => Promise<ComparedServer>
}

const may = `deleteInsight=${removable},calathea-frost-damage`

const howToRead = `Read what *differs* first. Below it are the probes that found it, a request that you can repeat, and both responses with the differences
marked. An *edit* is a change of the contract that makes the double agree; \`--apply\` writes it. If there is no edit, the double cannot agree:
decide whether your client depends on the difference. A refuted *assumption* is a decision of the contract that is wrong for this service.`

const pages: readonly Page[] = [
  {
    title: 'A report about json-server',
    file: 'verify-json-server.md',
    url: 'http://127.0.0.1:3000',
    introduction: `json-server keeps state and validates nothing: it accepts every \`limit\`, and the error for an unknown id is an empty object.
It has no access by caller, so each caller sees every insight.`,
    prepare: prepareJsonServer,
  },
  {
    title: 'A report about WireMock',
    file: 'verify-wiremock.md',
    url: 'http://127.0.0.1:8080',
    introduction: `WireMock answers from stubs, one for each caller and limit. Its scenario has one removal, that of \`${removable}\`. It acknowledges the
removal of another insight, and still lists that insight.`,
    prepare: prepareWireMock,
  },
]

const { $callers } = await readFixture()
const callers = Object.entries($callers).map(([name, { token }]) => ({
  name,
  token,
  variable: `${name.toUpperCase()}_TOKEN`,
}))

for (const { file, introduction, prepare, title, url } of pages) {
  await using folder = await createTemporaryFolder()
  const server = await prepare(folder.path)
  await using serving = await start(server)
  const base = new URL(serving.url).origin
  const { report } = await verify(base, { callers, may: [may], nonce: '00c0ffee' })
  const [, ...lines] = formatVerifyReport(file, report).replaceAll(base, url).split('\n')
  const command = `insights-double verify ${url} ${callers.map(({ name, variable }) => `--caller ${name}=env:${variable}`).join(' ')} --may ${may}`
  const page = [
    `# ${title}`,
    '',
    `The command below prints this report about ${server.name}, configured as an Insights service (\`test/verify/set-up-other-doubles.ts\`).`,
    introduction,
    '',
    '```sh',
    command,
    '```',
    '',
    howToRead,
    ...lines,
  ].join('\n')
  await writeFile(join(packageFolder, 'docs', file), page)
  print(`docs/${file}: ${report.requests} requests`)
}
