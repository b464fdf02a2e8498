/** A copy of the project that may be changed, built and tested. */
import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { packageFolder } from '../helpers/files.js'

export interface ProjectCopy {
  /** Reads a file below `src`. */
  read(file: string): Promise<string>
  /** Writes a file below `src`. */
  write(file: string, text: string): Promise<void>
  /** Builds the changed files. @returns The errors of the compiler. Empty: none. */
  build(): Promise<string>
  /**
   * Runs tests until one fails.
   *
   * @param files - Below the project. Empty: all.
   * @returns The title of the first test that failed, or the error that ended the run. Undefined: all passed.
   */
  firstFailure(files: readonly string[]): Promise<string | undefined>
}

/** A run is killed if no test ends for this time. A mutant may make a test wait forever. */
const idleTimeout = '150s'

const unwanted: ReadonlySet<string> = new Set(['.git', 'node_modules', '.insights-double'])

/** Copies the project, with what was built. @param folder - An empty one. */
export async function copyProject(folder: string): Promise<ProjectCopy> {
  const wanted = (path: string): boolean => path === packageFolder || !unwanted.has(basename(path))
  await cp(packageFolder, folder, { recursive: true, preserveTimestamps: true, filter: wanted })
  for (const path of ['node_modules', 'test/types/node_modules'])
    await symlink(join(packageFolder, path), join(folder, path))
  // A mutant often leaves something unused.
  const options = join(folder, 'tsconfig.json')
  await writeFile(options, (await readFile(options, 'utf8')).replaceAll(/("noUnused\w+": )true/gu, '$1false'))
  const run = async (command: string, words: readonly string[]): Promise<Ended> => {
    const file = join(packageFolder, 'node_modules', command)
    return new Promise((resolve) => {
      execFile(process.execPath, [file, ...words], { cwd: folder, maxBuffer: 2 ** 30 }, (error, stdout, stderr) =>
        resolve({ isWell: error === null, text: stdout + stderr }),
      )
    })
  }
  return {
    read: (file) => readFile(join(folder, 'src', file), 'utf8'),
    write: (file, text) => writeFile(join(folder, 'src', file), text),
    build: async () => {
      const { isWell, text } = await run('typescript/bin/tsc', ['-b'])
      return isWell ? '' : text.replaceAll('\n', ' ').slice(0, 500)
    },
    firstFailure: async (files) => {
      const flags = ['--tap', '--fail-fast', '--timeout', idleTimeout]
      const { isWell, text } = await run('ava/entrypoints/cli.mjs', [...flags, ...files])
      if (isWell) return undefined
      const titles = [...text.matchAll(/^not ok \d+ - (.*)$/gmu)].map(([, title = '']) => title)
      // Tests that are stopped because another one failed may throw.
      const title =
        titles.find((each) => each !== 'uncaught-exception') ??
        titles[0] ??
        // AVA's TAP reporter throws when it reports a timeout.
        (text.includes('TapReporter.writeTimeout')
          ? `a test did not end within ${idleTimeout}`
          : text.slice(-300).replaceAll('\n', ' '))
      // For a single file, the runner prints only the title.
      return files.length === 1 ? `${basename(files[0] ?? '', '.test.ts')} › ${title}` : title
    },
  }
}

interface Ended {
  readonly isWell: boolean
  readonly text: string
}
