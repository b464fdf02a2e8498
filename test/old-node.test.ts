/** Tests the message for a Node.js that is too old. Such a Node must be able to parse the entry point. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import test from 'ava'
import { parseAst } from 'rolldown/parseAst'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { readPackageFile } from './helpers/files.js'
import { commandFile } from './helpers/spawn-double.js'

/** Runs `--version` in a Node that says that it has another version. */
async function runAs(version: string): Promise<unknown> {
  const preload = `const { versions } = process; Object.defineProperty(process, 'versions', { value: { ...versions, node: '${version}' } })`
  const words = [`--import=data:text/javascript,${encodeURIComponent(preload)}`, commandFile, '--version']
  return promisify(execFile)(process.execPath, words).then(
    ({ stderr, stdout }) => ({ code: 0, stderr, stdout }),
    ({ code, stderr, stdout }: { code: number; stderr: string; stdout: string }) => ({ code, stderr, stdout }),
  )
}

for (const version of ['18.20.8', '20.18.3', '8.17.0'])
  test(`the command line says that Node.js ${version} is too old`, async (t) => {
    const stderr = `insights-double needs Node.js 20.19 or newer, this is ${version}.\n`
    t.deepEqual(await runAs(version), { code: 2, stderr, stdout: '' })
  })

test('the oldest Node.js that the package allows, and newer ones, run the command', async (t) => {
  const { engines, version } = asObject(JSON.parse(await readPackageFile('package.json')))
  t.is(asObject(engines)['node'], '>=20.19')
  for (const node of ['20.19.0', '22.0.0', '26.1.0'])
    t.deepEqual(await runAs(node), { code: 0, stderr: '', stdout: `${String(version)}\n` })
})

test('an old Node.js can parse the entry point: it imports nothing statically, and has no newer syntax', async (t) => {
  const code = await readPackageFile('bundle/main.js')
  t.false(pluck(parseAst(code).body, 'type').includes('ImportDeclaration'))
  t.notRegex(code, /\?\?|\?\.|\bawait\b|\basync\b|\.\.\.|#\w|\*\*|=>/u)
})
