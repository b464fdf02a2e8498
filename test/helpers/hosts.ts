/** Starts the processes that host doubles for all test files of a run, which then need not load the double each. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { hostsVariable } from './hosted.js'

/**
 * Starts hosts. They end with this process, however it ends, and do not keep it.
 *
 * @returns The environment variable that tells test files of them. With `--watch` there are none: hosts do not load what changes.
 */
export async function startHosts(count: number): Promise<Readonly<Record<string, string>>> {
  if (process.argv.some((word) => word === '--watch' || word === '-w')) return {}
  const ports = await Promise.all(Array.from({ length: count }, startHost))
  return { [hostsVariable]: ports.join(' ') }
}

async function startHost(): Promise<unknown> {
  const child = fork(fileURLToPath(new URL('host.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [port] = await once(child, 'message')
  child.unref()
  child.channel?.unref()
  return port
}
