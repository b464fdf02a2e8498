/** Starts the processes that host doubles and commands for all test files, so that the files need not load the double each. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { commandHostVariable, hostsVariable } from './test-host-client.js'

/**
 * Starts hosts: some for doubles, and one for commands. They end with this process, and do not keep it alive.
 *
 * @param count - The number of hosts of doubles.
 * @returns The environment variables with their ports. Empty with `--watch`, because hosts do not load changed files.
 */
export async function startHosts(count: number): Promise<Readonly<Record<string, string>>> {
  if (process.argv.some((word) => word === '--watch' || word === '-w')) return {}
  const [commands, ...doubles] = await Promise.all(Array.from({ length: 1 + count }, startHost))
  return { [commandHostVariable]: String(commands), [hostsVariable]: doubles.join(' ') }
}

async function startHost(): Promise<unknown> {
  const child = fork(fileURLToPath(new URL('test-host.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [port] = await once(child, 'message')
  child.unref()
  child.channel?.unref()
  return port
}
