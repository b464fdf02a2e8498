/** Runs Specmatic's contract tests against doubles of the Insights contract and of the examples. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

import { startDouble } from 'insights-double'

import { groupBy } from '#src/documents/object.js'

import { installPackages } from '../bench/compared-servers.js'
import { packageFolder } from '../helpers/files.js'
import { print } from '../helpers/scripts.js'

const specmatic = 'specmatic@2.55.1'

/** The contracts, each with the variable that gives Specmatic the token of its security scheme. */
const contracts = [
  { spec: 'spec/insights.yaml', token: { bearer: 'ada-token' } },
  { spec: 'examples/plants.yaml', token: {} },
  { spec: 'examples/shop.yaml', token: { apiKey: 'demo-token' } },
  { spec: 'examples/issues.yaml', token: { token: 'demo-token' } },
]

/** Failures that are no defect of the double. */
const understood = [
  { what: /expected status 2\d\d but response contained status 404/u, why: 'no record has the id that it makes up' },
  { what: /REQUEST\.BODY has been omitted/u, why: 'the contract lets a body be left out that the record needs' },
  {
    what: /^(?:PATCH|PUT) .*expected status 200 but response contained status 400/su,
    why: 'it makes up an id for the path and another one for the body',
  },
]

const run = promisify(execFile)

/** Prints the cases and failures of each contract. @returns False: a failure is not understood, or nothing was tested. */
export async function runSpecmatic(): Promise<boolean> {
  if (!(await run('java', ['-version']).catch(() => undefined))) {
    print('Specmatic is left out, because there is no Java.')
    return true
  }
  const folder = await mkdtemp(join(tmpdir(), 'specmatic-'))
  try {
    if (!(await installPackages(folder, [specmatic]))) {
      print(`Specmatic is left out, because ${specmatic} cannot be installed.`)
      return true
    }
    const results: boolean[] = []
    // Its tests are one after the other, so that no double waits for another one.
    for (const { spec, token } of contracts) results.push(await testContract(folder, spec, token))
    return !results.includes(false)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function testContract(folder: string, spec: string, token: Readonly<Record<string, string>>): Promise<boolean> {
  await using double = await startDouble({ spec: join(packageFolder, spec) })
  const name = basename(spec)
  // It looks for examples next to the contract.
  await copyFile(join(packageFolder, spec), join(folder, name))
  const words = ['-jar', 'node_modules/specmatic/specmatic.jar', 'test', name, `--testBaseURL=${double.url}`]
  const options = { cwd: folder, env: { ...process.env, ...token }, maxBuffer: 2 ** 28, timeout: 300_000 }
  const ended = await run('java', words, options).catch((error: { readonly stdout: string }) => error)
  const [, failed = ''] = ended.stdout.split('Unsuccessful Scenarios:')
  const failures = failed.split(/^ {2}"Scenario: /mu).slice(1)
  const [, cases = '0'] = /^Tests run: (\d+)/mu.exec(ended.stdout) ?? []
  print(`${name}: ${cases} cases of Specmatic, ${failures.length} failures`)
  const byReason = groupBy(failures, (failure) => understood.find(({ what }) => what.test(failure))?.why)
  for (const [why, found] of byReason) print(`  ${found.length}: ${why ?? `not understood, such as ${found[0] ?? ''}`}`)
  // The third reason is the only one for which the double refuses a change.
  const { entries } = await double.requests({ status: 400 })
  const refused = entries.filter(({ method }) => /^(?:PATCH|PUT)$/u.test(method))
  const others = refused.filter(({ violations }) => violations.every(({ code }) => code !== 'id_mismatch'))
  if (others.length > 0) print(`  ${others.length} changes were refused, such as ${others[0]?.url ?? ''}`)
  return cases !== '0' && !byReason.has(undefined) && others.length === 0
}
