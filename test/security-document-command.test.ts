import test from 'ava'

import { raw, wire } from './helpers/http.js'
import { blocksOf } from './helpers/read-markdown.js'
import { readPackageFile } from './helpers/read-repository-file.js'
import { launchShell } from './helpers/shell.js'
import { project } from './helpers/user-project.js'

test('the command in SECURITY.md starts a double whose control plane requires the token and the host', async (t) => {
  const [block, ...others] = blocksOf(await readPackageFile('SECURITY.md'))
  t.deepEqual(others, [])
  const command = (block?.text ?? '').trim()
  const local = command
    .replace('npx ', 'npx --offline ')
    .replace('--host 0.0.0.0', '--host 127.0.0.1 --port 0 --memory')
  t.true(local.includes('--host 127.0.0.1'))
  const double = await launchShell(t, local, { cwd: await project(t, {}), env: { ADMIN_TOKEN: 'secret' } })
  const [, url = ''] = await double.printed(/ready at (http:\S+)\n(?: {2}.*\n)* {2}try .*\n/u)
  const [, host = ''] = /--allowed-host (\S+)/u.exec(command) ?? []
  const statusOf = async (name: string, headers: readonly string[]): Promise<number> =>
    (await raw({ url }, wire('GET /__admin/state', headers).replace('Host: localhost', `Host: ${name}`))).status
  const token = ['Authorization: Bearer secret']
  t.is(await statusOf(host, token), 200)
  t.is(await statusOf('localhost', token), 200)
  t.is(await statusOf('elsewhere.example', token), 403)
  t.is(await statusOf(host, []), 401)
})
