/**
 * Packs the package for a registry. Its bundle contains the code of its dependencies, so its `package.json` names none: an installation brings
 * one package. An installation from git keeps them, because it builds the bundle.
 *
 * Usage: npm run pack -- [folder for the tarball, default: this one]
 */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = dirname(import.meta.dirname)
const target = resolve(process.argv[2] ?? '.')

const pack = async (cwd, ...words) => {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', ...words], { cwd, maxBuffer: 2 ** 26 })
  return JSON.parse(stdout)[0]
}

/** The keys that only a clone needs. */
const onlyHere = new Set(['dependencies', 'devDependencies', 'overrides', 'workspaces', 'knip', 'scripts', 'files'])

const folder = await mkdtemp(join(tmpdir(), 'insights-double-pack-'))
try {
  const { files } = await pack(root, '--dry-run')
  for (const { path } of files) await cp(join(root, path), join(folder, path))
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const packed = Object.fromEntries(Object.entries(manifest).filter(([key]) => !onlyHere.has(key)))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, undefined, 2)}\n`)
  const { entryCount, filename, size, unpackedSize } = await pack(folder, '--pack-destination', target)
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  console.log(
    `${join(target, filename)}: ${megabytes(size)}, ${entryCount} files, ${megabytes(unpackedSize)} installed`,
  )
} finally {
  await rm(folder, { recursive: true })
}
