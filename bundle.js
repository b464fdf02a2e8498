/**
 * Puts the modules of `dist` together into `bundle`, which the package contains: Node loads few files faster than many. Local variables
 * get short names, here and in the pages. Functions keep their names and have a line each, so that stack traces can be read.
 *
 * Describes the options in their published types, too. `npm run build` and `ava.config.js` run it. It does nothing if nothing has changed.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { minify } from 'rolldown/utils'
import { parse } from 'yaml'

const inPackage = (file) => join(import.meta.dirname, file)

/** The entries of the package. */
const entries = {
  index: 'dist/index.js',
  jest: 'dist/runners/jest.js',
  playwright: 'dist/runners/playwright.js',
  vitest: 'dist/runners/vitest.js',
}

/** The entries of the package, and those through which the tests run the same code. */
const others = {
  'command-line': 'dist/cli/command-line.js',
  'double-process': 'dist/cli/double-process-main.js',
  watchdog: 'dist/cli/watchdog.js',
  worker: 'dist/double/worker.js',
  handle: 'dist/client/handle.js',
  'send-over-http': 'dist/client/send-over-http.js',
  'start-in-this-thread': 'dist/double/start-in-this-thread.js',
}

/** @type {import('rolldown/utils').MinifyOptions} */
const shortNames = {
  compress: false,
  mangle: { keepNames: true, toplevel: false },
}

/** Puts each statement at the top level, such as a function, on its own line. */
const splitLines = (code) =>
  parseAst(code)
    .body.map(({ end }, index, { [index - 1]: before }) => `${code.slice(before?.end ?? 0, end)}\n`)
    .join('')

/**
 * Bundles entries and what they import.
 *
 * @param {Readonly<Record<string, string>>} input
 * @param {'cjs' | 'esm'} format
 * @param {'cjs' | 'js'} extension
 * @returns The name and the text of each file.
 */
async function bundleModules(input, format, extension) {
  const { output } = await build({
    cwd: import.meta.dirname,
    input,
    platform: 'node',
    // Otherwise calls with an unused result are removed, such as a call of `decodeURIComponent` that only checks its argument.
    treeshake: false,
    external: /^[^./]/u,
    write: false,
    output: {
      format,
      comments: false,
      minify: shortNames,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
    },
  })
  return output.map((file) => [file.fileName, splitLines(file.code)])
}

/** Minifies the entry point of the command line alone: an old Node must be able to parse it and all that it imports statically. */
async function readEntryPoint() {
  const { code } = await minify('main.js', await readFile(inPackage('dist/cli/main.js'), 'utf8'), shortNames)
  return ['main.js', splitLines(code)]
}

const pages = inPackage('src/console/pages')

/** Reads a file of the console or the API reference. @returns Its name in the bundle, and its text. */
async function readPage(name) {
  const text = await readFile(join(pages, name), 'utf8')
  const isScript = name.endsWith('.js')
  return [join('pages', name), isScript ? splitLines((await minify(name, text, shortNames)).code) : text]
}

/** The files of RapiDoc for the API reference, by name in the bundle: one script with all that it needs, and the licences. */
const rapidoc = new Map(
  [
    ['rapidoc-min.js', 'dist/rapidoc-min.js'],
    ['rapidoc-min.js.LICENSE.txt', 'dist/rapidoc-min.js.LICENSE.txt'],
    ['rapidoc.LICENSE.txt', 'LICENSE.txt'],
  ].map(([name, file]) => [join('pages', name), fileURLToPath(import.meta.resolve(`rapidoc/${file}`))]),
)

const controlSpec = inPackage('spec/control.yaml')

/**
 * Reads the contract of the control plane. Parsing its YAML takes 0.2 s, which each process saves. Its descriptions, a third of its bytes, are
 * left empty, because `GET /__admin/spec` sends the YAML. @returns Its name, and JSON.
 */
const readControlSpec = async () => [
  'control.json',
  JSON.stringify(parse(await readFile(controlSpec, 'utf8')), withoutText),
]
const withoutText = (key, value) => (key === 'description' && typeof value === 'string' ? '' : value)

/** Writes the descriptions of the options as comments into their published types: the table in the code has each text once. */
async function describeOptions() {
  const { describeOption, doubleOptions } = await import('./dist/options.js')
  const file = inPackage('dist/options.d.ts')
  const text = await readFile(file, 'utf8')
  const described = text.replaceAll(/^( {4})(?:\/\*\* .* \*\/\n {4})?readonly (\w+): \{$/gmu, (_, indent, name) => {
    const option = doubleOptions[name]
    const [first = '', ...rest] = describeOption(option)
    const byDefault = option.defaultText ?? option.default ?? 'none'
    const comment = `/** ${first.toUpperCase()}${rest.join('')}. Default: ${byDefault}. */`
    return `${indent}${comment}\n${indent}readonly ${name}: {`
  })
  if (described !== text) await writeFile(file, described)
}

const timeOf = (file) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

const folder = inPackage('bundle')
const pageNames = await readdir(pages)
const sources = [
  inPackage('bundle.js'),
  inPackage('dist/.tsbuildinfo'),
  controlSpec,
  ...pageNames.map((name) => join(pages, name)),
  ...rapidoc.values(),
]
const lastChange = Math.max(...(await Promise.all(sources.map(timeOf))))
if (lastChange >= (await timeOf(join(folder, 'index.cjs')))) {
  const files = new Map([
    ...(await bundleModules({ ...entries, ...others }, 'esm', 'js')),
    ...(await Promise.all([...pageNames.map(readPage), readControlSpec(), readEntryPoint()])),
    ...(await Promise.all([...rapidoc].map(async ([name, file]) => [name, await readFile(file, 'utf8')]))),
    // Jest cannot load an ES module. `index.cjs` is written even if it is unchanged: its time is the time of the bundle.
    ...(await bundleModules(entries, 'cjs', 'cjs')),
  ])
  await describeOptions()
  await mkdir(join(folder, 'pages'), { recursive: true })
  for (const [name, text] of files) {
    const file = join(folder, name)
    // An unchanged file is not written, because a running double may be reading it.
    const present = await readFile(file, 'utf8').catch(() => undefined)
    if (text !== present || name === 'index.cjs') await writeFile(file, text)
  }
  const written = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of written) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !files.has(relative(folder, file))) await rm(file)
  }
}
