/**
 * Puts the modules of `dist` together into `bundle`, which the package contains: Node loads few files faster than many. Local variables
 * get short names, here and in the pages. Functions keep their names and have a line each, so that stack traces can be read.
 *
 * `npm run build` and `ava.config.js` run it. It does nothing if nothing has changed.
 */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { build } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { minify } from 'rolldown/utils'

const inPackage = (file) => join(import.meta.dirname, file)

/** The entries of the package. */
const entries = {
  index: 'dist/index.js',
  playwright: 'dist/runners/playwright.js',
  vitest: 'dist/runners/vitest.js',
}

/** The files that Node runs, and those by which the tests run the same code as users. */
const others = {
  main: 'dist/cli/main.js',
  'run-double': 'dist/cli/run-double.js',
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
 * Writes entries and what they import.
 *
 * @param {Readonly<Record<string, string>>} input
 * @param {import('rolldown').OutputOptions} output
 */
function bundleModules(input, output) {
  const generateBundle = (_options, files) => {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = splitLines(file.code)
  }
  return build({
    cwd: import.meta.dirname,
    input,
    platform: 'node',
    // It would remove calls whose result is not used, such as a call of `decodeURIComponent` that only checks its argument.
    treeshake: false,
    external: /^[^./]/u,
    output: {
      dir: 'bundle',
      comments: false,
      minify: shortNames,
      plugins: [{ name: 'split-lines', generateBundle }],
      ...output,
    },
  })
}

const pages = inPackage('src/console/pages')

/** Writes the files of the console and the API reference. */
async function writePages() {
  const folder = inPackage('bundle/pages')
  await mkdir(folder)
  for (const name of await readdir(pages)) {
    const text = await readFile(join(pages, name), 'utf8')
    const isScript = name.endsWith('.js')
    const written = isScript ? splitLines((await minify(name, text, shortNames)).code) : text
    await writeFile(join(folder, name), written)
  }
}

const timeOf = (file) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

const sources = ['bundle.js', 'dist/.tsbuildinfo'].map(inPackage)
for (const name of await readdir(pages)) sources.push(join(pages, name))
const lastChange = Math.max(...(await Promise.all(sources.map(timeOf))))
if (lastChange >= (await timeOf(inPackage('bundle/index.cjs')))) {
  await bundleModules({ ...entries, ...others }, { cleanDir: true, chunkFileNames: '[name].js' })
  await writePages()
  // Jest can load no ES module. This writes `index.cjs`, so it comes last.
  await bundleModules(entries, { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' })
}
