/** Runs commands of the command line in this process. A new process for each command would take a second. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import type { Command, Ended } from './test-host-client.js'

/** The code behind the entry point `bundle/main.js`, which checks the version of Node only. */
const file = new URL('../../../bundle/command-line.js', import.meta.url)

/** The environment variables that the command line reads, and those by which it recognizes npm. */
const ownVariables = ['INSIGHTS_DOUBLE_ADMIN_TOKEN', 'INSIGHTS_DOUBLE_URL', 'PORT', 'npm_lifecycle_event']

// Each command adds listeners for the rest of its process.
process.setMaxListeners(0)
process.stdout.setMaxListeners(0)

interface Output {
  stdout: string
  stderr: string
}

/** The output of the command that runs. A double that serves writes its log while other commands run. */
const outputOfCommand = new AsyncLocalStorage<Output>()

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name]
  const write = stream.write.bind(stream) as (...chunk: readonly unknown[]) => boolean
  stream.write = (...chunk: readonly unknown[]): boolean => {
    const output = outputOfCommand.getStore()
    if (!output) return write(...chunk)
    output[name] += String(chunk[0])
    return true
  }
}

/**
 * Runs a command to its end, with its own working folder, environment and output. Run one command at a time.
 *
 * @throws {Error} The command started a double, which does not end by itself.
 */
export async function runHere(command: Command): Promise<Ended> {
  const { code, isServing, output } = await load(command)
  if (isServing) throw new Error(`"${command.words.join(' ')}" started a double`)
  return { code, ...output }
}

/** A double that a command serves in this process. */
export interface ServingHere {
  readonly ready: string
  /** Stops it as a signal does. Stop one at a time, and run no command meanwhile. */
  stop(): Promise<Ended>
}

/**
 * Runs a command that serves a double until it is ready. Run one command at a time.
 *
 * @throws {Error} The command ended. The message contains its output.
 */
export async function serveCommandHere(command: Command): Promise<ServingHere> {
  const before = process.listeners('SIGTERM')
  const { code: failure, isServing, output } = await load(command)
  if (!isServing) throw new Error(`Ended with ${failure} and did not serve\n${output.stdout}\n${output.stderr}`)
  const listeners = process.listeners('SIGTERM').filter((listener) => !before.includes(listener))
  for (const listener of listeners) process.off('SIGTERM', listener).off('SIGINT', listener)
  return {
    ready: output.stdout,
    stop: async () => {
      const code = await as(command, output, async () => {
        // The command sets the exit code when it has stopped.
        process.exitCode = undefined
        for (const listener of listeners) listener('SIGTERM')
        while (process.exitCode === undefined) await wait(1)
        return Number(process.exitCode)
      })
      return { code, ...output }
    },
  }
}

/** Loads the entry point, which runs a command until it ends or serves. */
async function load(
  command: Command,
): Promise<{ readonly code: number; readonly isServing: boolean; readonly output: Output }> {
  const output = { stdout: '', stderr: '' }
  const code = await as(command, output, async () => {
    // The entry point runs when it is loaded. Node loads it once for each URL.
    await import(`${file.href}?${performance.now()}`)
    return Number(process.exitCode)
  })
  return { code, isServing: /ready at |"ready"/u.test(output.stdout), output }
}

/** Runs a function with the arguments, working folder, environment and output of a command. */
async function as<T>({ cwd, env, words }: Command, output: Output, run: () => Promise<T>): Promise<T> {
  const before = { argv: process.argv, cwd: process.cwd(), env: process.env }
  process.argv = [process.execPath, fileURLToPath(file), ...words]
  process.env = { ...before.env, ...Object.fromEntries(ownVariables.map((name) => [name, ''])), ...env }
  process.exitCode = 0
  process.chdir(cwd)
  try {
    return await outputOfCommand.run(output, run)
  } finally {
    process.chdir(before.cwd)
    process.argv = before.argv
    process.env = before.env
    process.exitCode = 0
  }
}
