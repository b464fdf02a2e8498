/** The servers that the double is compared with. They are installed for the measurement only. */
import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { parseDocument } from 'yaml'

import { packageFolder } from '../helpers/package-folder.js'
import { print } from '../helpers/print-table.js'
import { commandFile } from '../helpers/spawn-double.js'

/** A server that can be started by a command. */
export interface ComparedServer {
  readonly name: string
  /** The program that runs the command. Default: Node. */
  readonly program?: string
  /** The script and its arguments. */
  readonly command: (port: number) => readonly string[]
  /** The path of the list. */
  readonly path: string
}

export interface Serving extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Time from the start of the process until the first response, in milliseconds. */
  readonly readyMs: number
}

/** The double, with a fixture. */
export const double = (fixture: string): ComparedServer => ({
  name: 'double',
  command: (port) => [commandFile, '--port', `${port}`, '--memory', '--log', 'silent', '--fixture', fixture],
  path: '/insights',
})

/** Koa alone, which sends ready bytes. No server on Koa can be faster. */
export const plainKoa = (file: string): ComparedServer => ({
  name: 'Koa, ready bytes',
  command: (port) => [fileURLToPath(new URL('plain-koa.js', import.meta.url)), `${port}`, file],
  path: '/insights',
})

/** json-server, as npm installs it. */
export const jsonServerPackage = 'json-server@0.17.4'

/** json-server, installed in a folder. @param data - Its file. @param path - The path of the list. */
const jsonServer = (folder: string, data: string, path: string): ComparedServer => ({
  name: 'json-server 0.17',
  command: (port) => [join(folder, 'node_modules', 'json-server/lib/cli/bin.js'), '--quiet', '--port', `${port}`, data],
  path,
})

/** Installs json-server in a folder. @returns A function that takes its file and the path of the list. Undefined: npm's registry cannot be reached. */
export async function installJsonServer(
  folder: string,
): Promise<((data: string, path: string) => ComparedServer) | undefined> {
  const isInstalled = await installPackages(folder, [jsonServerPackage])
  return isInstalled ? (data, path) => jsonServer(folder, data, path) : undefined
}

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

/**
 * Installs json-server and Prism's command line in a folder.
 *
 * @param list - The file with the list.
 * @returns Empty if npm's registry cannot be reached.
 */
export async function installOthers(folder: string, list: readonly unknown[]): Promise<readonly ComparedServer[]> {
  if (!(await installPackages(folder, [jsonServerPackage, '@stoplight/prism-cli@5.14.2']))) return []
  const data = join(folder, 'db.json')
  await writeFile(data, JSON.stringify({ insights: list }))
  const modules = join(folder, 'node_modules')
  const spec = join(folder, 'insights.yaml')
  await writeFile(spec, await specThatLists(list))
  return [
    jsonServer(folder, data, '/insights'),
    {
      name: 'Prism CLI 5.14',
      command: (port) => [join(modules, '@stoplight/prism-cli/dist/index.js'), 'mock', '--port', `${port}`, spec],
      path: '/insights',
    },
  ]
}

/** The package's spec with the list as an example, which Prism sends. */
async function specThatLists(list: readonly unknown[]): Promise<string> {
  const spec = parseDocument(await readFile(join(packageFolder, 'spec', 'insights.yaml'), 'utf8'))
  const content = ['paths', '/insights', 'get', 'responses', '200', 'content', 'application/json']
  spec.deleteIn([...content, 'examples'])
  spec.setIn([...content, 'example'], list)
  return spec.toString()
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
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
  const readyMs = performance.now() - started
  return { url, pid: child.pid ?? 0, readyMs, [Symbol.asyncDispose]: () => kill(child) }
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { headers: { authorization: 'Bearer ada-token' } })
    await reply.arrayBuffer()
    return reply.ok
  } catch {
    return false
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}
