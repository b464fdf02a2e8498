import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { packageFolder } from '../helpers/files.js'
import { recordingVariable } from '../helpers/recording-format.js'

/** The file that marks a complete recording. */
export const wholeMark = 'whole'

/** Runs the whole suite and records the responses of its doubles. @throws {Error} A test fails. */
export async function recordSuite(folder: string): Promise<void> {
  const recorder = new URL('preload-recorder.js', import.meta.url).href
  const env = { ...process.env, [recordingVariable]: folder, NODE_OPTIONS: `--import ${recorder}` }
  const words = ['node_modules/ava/entrypoints/cli.mjs', '--tap']
  const suite = spawn(process.execPath, words, { cwd: packageFolder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let failed = ''
  createInterface(suite.stdout).on('line', (line) => (failed += line.startsWith('not ok') ? `${line}\n` : ''))
  const code = await new Promise<number | null>((resolve) => {
    suite.once('close', resolve)
  })
  if (code !== 0) throw new Error(`The suite ended with ${code}\n${failed}`)
  await writeFile(join(folder, wholeMark), '')
}
