/** Installs Prism's command line in a separate folder and runs it as a validating proxy. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { packageFolder } from '../helpers/package-folder.js'
import { freePort } from '../helpers/port.js'

/** The version whose validators the double uses. */
const prism = '@stoplight/prism-cli@5.12.0'

/** Installs Prism. No script of any package runs. @returns The file of its command. */
export async function installPrism(folder: string): Promise<string> {
  await writeFile(join(folder, 'package.json'), '{"name": "prism-for-now", "private": true}\n')
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', prism], { cwd: folder })
  return join(folder, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js')
}

export interface Proxy extends AsyncDisposable {
  readonly url: string
}

interface ProxyOptions {
  /** The program that runs Prism. */
  readonly file: string
  /** The URL that requests are forwarded to. */
  readonly upstream: string
  /** The contract. Default: that of the service. */
  readonly spec?: string
  /** Flags in addition to those for the port. Default: none. */
  readonly flags?: readonly string[]
}

/** Starts a proxy. @throws {Error} It does not start. */
export async function startProxy({ file, upstream, ...options }: ProxyOptions): Promise<Proxy> {
  const port = await freePort()
  const { flags = [], spec = join(packageFolder, 'spec', 'insights.yaml') } = options
  const words = ['proxy', spec, upstream, '--host', '127.0.0.1', '--port', String(port), ...flags]
  const child = spawn(process.execPath, [file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  let text = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text = (text + chunk).slice(-10_000)
        if (text.includes('Prism is listening')) resolve()
      })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`Prism ended with ${code}\n${text}`)))
  })
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop }
}
