/** Tests the files of the container without a container engine: their parts exist, and the double accepts their commands. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { parseArguments } from '#src/cli/parse-arguments.js'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { documentBlock } from './helpers/documents.js'
import { serve } from './helpers/double.js'
import { packageFolder, readPackageFile, readPackageYaml } from './helpers/files.js'
import { shell } from './helpers/shell.js'

/** Returns the instructions of the Dockerfile, with their lines joined. */
const instructions = async (): Promise<readonly (readonly [name: string, rest: string])[]> => {
  const lines = (await readPackageFile('Dockerfile')).replaceAll(/^#.*\n|\\\n/gmu, '').split('\n')
  return lines.filter(Boolean).map((line) => [line.replace(/ .*/u, ''), line.slice(line.indexOf(' ')).trim()])
}

test('the Dockerfile copies what the package has, does not run as root, and lets the double be process 1', async (t) => {
  const lines = await instructions()
  const restOf = (name: string): readonly string[] => lines.flatMap(([each, rest]) => (each === name ? [rest] : []))
  const copied = restOf('COPY').flatMap((rest) => /^--from=build \/build\/(\S+) \/double\/\1$/u.exec(rest)?.[1] ?? [])
  t.deepEqual(copied, ['package.json', 'bundle', 'spec', 'fixtures', 'docs/summary.md'])
  for (const path of copied) await t.notThrowsAsync(access(join(packageFolder, path)), path)
  t.is(restOf('RUN')[0], 'npm ci')
  t.is(asObject(asObject(JSON.parse(await readPackageFile('package.json')))['scripts'])['prepare'], 'npm run build')
  t.deepEqual([restOf('USER'), restOf('WORKDIR').at(-1), restOf('VOLUME')], [['node'], '/state', ['/state']])
  // A shell as process 1 would not pass signals on.
  t.deepEqual(restOf('ENTRYPOINT'), ['["node", "/double/bundle/main.js"]'])
  const [command = ''] = restOf('CMD')
  t.is(parseArguments(asList(JSON.parse(command)).map(String)).valueOf('host'), '0.0.0.0')
  const ignored = (await readPackageFile('.dockerignore')).split('\n')
  for (const name of ['node_modules', '.git', '.insights-double', 'bundle']) t.true(ignored.includes(name), name)
})

test('the health check of the Dockerfile succeeds only if the double serves, and needs no token', async (t) => {
  const [, health = ''] = (await instructions()).find(([name]) => name === 'HEALTHCHECK') ?? []
  const [program, flag, script = ''] = asList(JSON.parse(health.slice(health.indexOf('[')))).map(String)
  t.deepEqual([program, flag], ['node', '-e'])
  const double = await serve(t, { adminToken: 'secret' })
  const check = (port: string): ReturnType<typeof shell> =>
    shell(t, 'node -e "$SCRIPT"', { env: { SCRIPT: script, PORT: port } })
  t.is((await check(new URL(double.url).port)).code, 0)
  await double.stop()
  t.is((await check(new URL(double.url).port)).code, 1)
})

test('the commands for containers publish on loopback, and the double accepts their arguments', async (t) => {
  const { services } = await readPackageYaml('docs/compose.yaml')
  const service = asObject(asObject(services)['double'])
  t.deepEqual(service['ports'], ['127.0.0.1:4010:4010'])
  t.is(await documentBlock('dockerBuild'), 'docker build --tag insights-double .\n')
  const words = (await documentBlock('dockerRun')).trim().split(' ')
  t.true(words.includes('127.0.0.1:4010:4010'))
  for (const given of [asList(service['command']).map(String), words.slice(words.indexOf('insights-double') + 1)]) {
    const { command, valueOf, valuesOf } = parseArguments(given)
    const found = [command, valueOf('spec'), valueOf('host'), valuesOf('allowed-host')]
    t.deepEqual(found, ['serve', '/contracts/shop.yaml', '0.0.0.0', ['double']])
  }
})
