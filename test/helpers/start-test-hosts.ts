/** Starts the processes that host doubles and commands for all test files of a run, which then need not load the double each. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { commandHostVariable, hostsVariable } from './test-host-client.js'

/**
 * Starts hosts: some for doubles, and one for commands. They end with this process, however it ends, and do not keep it.
 *
 * @param count - The number of hosts of doubles.
 * @returns The environment variables that tell test files of them. With `--watch` there are none: hosts do not load what changes.
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
