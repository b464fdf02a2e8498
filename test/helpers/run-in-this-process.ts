/** Runs commands of the command line in this process. A new process for each command would take a second. */
import { fileURLToPath } from 'node:url'

import type { Command, Ended } from './test-host-client.js'

const file = new URL('../../../bundle/main.js', import.meta.url)

/** The environment variables that the command line reads, and those by which it recognizes npm. */
const ownVariables = ['INSIGHTS_DOUBLE_URL', 'PORT', 'npm_lifecycle_event']

// Each command adds listeners for the rest of its process.
process.setMaxListeners(0)
process.stdout.setMaxListeners(0)

/**
 * Runs a command to its end, with its own working folder, environment and output. Run one command at a time.
 *
 * @throws {Error} The command started a double, which does not end by itself.
 */
export async function runHere({ cwd, env, words }: Command): Promise<Ended> {
  const before = { argv: process.argv, cwd: process.cwd(), env: process.env }
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  process.argv = [process.execPath, fileURLToPath(file), ...words]
  process.env = { ...before.env, ...Object.fromEntries(ownVariables.map((name) => [name, ''])), ...env }
  process.exitCode = 0
  process.chdir(cwd)
  try {
    // The entry point runs when it is loaded. Node loads it once for each URL.
    await import(`${file.href}?${performance.now()}`)
    if (/ready at |"ready"/u.test(stdout.text())) throw new Error(`"${words.join(' ')}" started a double`)
    return { code: process.exitCode, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    stdout.restore()
    stderr.restore()
    process.chdir(before.cwd)
    process.argv = before.argv
    process.env = before.env
    process.exitCode = 0
  }
}

/** Collects the text that is written to a stream, and does not write it. */
function capture(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const { write } = stream
  let written = ''
  stream.write = (chunk: string | Uint8Array): boolean => {
    written += String(chunk)
    return true
  }
  return { text: () => written, restore: () => (stream.write = write) }
}
