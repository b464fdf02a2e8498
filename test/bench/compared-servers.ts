/** The servers that the double is compared with. They are installed for the measurement only. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { freePort } from '../helpers/port.js'
import { print } from '../helpers/scripts.js'

export interface ComparedServer {
  readonly name: string
  /** The program that runs the command. Default: Node. */
  readonly program?: string
  readonly command: (port: number) => readonly string[]
  readonly path: string
}

export interface Serving extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** Koa alone, which sends ready bytes. No server on Koa can be faster. */
export const plainKoa = (file: string): ComparedServer => ({
  name: 'Koa, ready bytes',
  command: (port) => [fileURLToPath(new URL('plain-koa.js', import.meta.url)), `${port}`, file],
  path: '/insights',
})

export const jsonServerPackage = 'json-server@0.17.4'

/** json-server, installed in a folder. @param data - Its file. @param path - The path of the list. */
export const jsonServer = (folder: string, data: string, path: string): ComparedServer => ({
  name: 'json-server 0.17',
  command: (port) => [join(folder, 'node_modules', 'json-server/lib/cli/bin.js'), '--quiet', '--port', `${port}`, data],
  path,
})

/** Installs packages in a folder. @returns Whether npm's registry could be reached. */
export async function installPackages(folder: string, packages: readonly string[]): Promise<boolean> {
  try {
    const words = ['install', '--no-save', '--ignore-scripts', '--prefix', folder, ...packages]
    await promisify(execFile)('npm', words, { timeout: 300_000 })
    return true
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    print(`${packages.join(' and ')}: not compared: ${reason}`)
    return false
  }
}

/** Starts a server and waits for its first response. @throws {Error} It does not respond. */
export async function start({ command, name, path, program = process.execPath }: ComparedServer): Promise<Serving> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}${path}`
  const started = performance.now()
  const child = spawn(program, command(port), { stdio: 'ignore' })
  while (!(await answers(url))) {
    await wait(2)
    if (child.exitCode === null && performance.now() - started < 60_000) continue
    child.kill('SIGKILL')
    throw new Error(`${name} does not respond at ${url}`)
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || !child.kill('SIGKILL')) return
    await once(child, 'close')
  }
  return { url, pid: child.pid ?? 0, [Symbol.asyncDispose]: stop }
}

/** Sends GET with the credential of ada. @returns Whether the status is 2xx. */
export async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { headers: { authorization: 'Bearer ada-token' } })
    await reply.arrayBuffer()
    return reply.ok
  } catch {
    return false
  }
}
