/** Creates projects that use the double, as a user has them, and compiles them. */
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { ExecutionContext } from 'ava'

import { packageFolder, temporaryFolder, writeExecutable, writeFiles } from './files.js'
import { shell } from './shell.js'

/**
 * Creates a project that uses the double: a package of ES modules with this package and some of its tools installed.
 *
 * @param files - The files of the project, by path.
 * @returns Its folder.
 */
export async function project(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<string> {
  const folder = await temporaryFolder(t)
  const manifest = JSON.stringify({ name: 'app', private: true, type: 'module' })
  await writeFiles(folder, { 'package.json': manifest, ...files })
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  await symlink(packageFolder, join(modules, 'insights-double'))
  // As npm does, except that the built file is not executable.
  const command = join(packageFolder, 'bundle', 'main.js')
  await writeExecutable(join(modules, '.bin', 'insights-double'), `#!/bin/sh\nexec node "${command}" "$@"\n`)
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(packageFolder, 'node_modules', name), join(modules, name))
  }
  return folder
}

/** Compiles TypeScript with strict settings. @throws {Error} It does not compile. */
export async function compile(
  t: ExecutionContext,
  folder: string,
  files: readonly string[],
  furtherFlags = '',
): Promise<void> {
  const language = '--strict --module nodenext --target es2023 --lib es2023,esnext.disposable --types node'
  const flags = `${language} --outDir out ${furtherFlags}`
  const { code, stdout } = await shell(t, `node node_modules/typescript/bin/tsc ${flags} ${files.join(' ')}`, {
    cwd: folder,
  })
  if (code !== 0) throw new Error(stdout)
}
