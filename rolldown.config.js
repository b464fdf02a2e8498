/**
 * Puts the modules of `dist` together into `bundle`, which the package contains: Node loads few files faster than many. Local variables
 * get short names, here and in the pages. Functions keep their names and have a line each, so that stack traces can be read.
 *
 * Describes the options in their published types, too. `npm run build` and `ava.config.js` run it. It builds nothing if nothing has changed.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { minify } from 'rolldown/utils'

import { billOfMaterials, noticeOf, readPackages } from './scripts/bundled-packages.js'

const inPackage = (file) => join(import.meta.dirname, file)

const isOfNode = (id) => id.startsWith('node:') || builtinModules.includes(id)

/** The entries of the package. */
const entries = {
  index: 'dist/index.js',
  jest: 'dist/runners/jest.js',
  playwright: 'dist/runners/playwright.js',
  vitest: 'dist/runners/vitest.js',
}

/** The other files that the package runs, and those through which the tests run the same code. */
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
 * Gets the modules of Node without an import: that reads every export of a module, of which `process.stdout` takes five milliseconds, and
 * `WebSocket` of `node:http` thirty. They are constants, which no chunk needs before it is loaded. The file system stays an import, as tests and
 * tools replace its functions; but not in the chunk that each entry loads, which reads only its version and the processes of the machine.
 */
const withBuiltins = (code, name) => {
  const declared = ({ source, specifiers }) => {
    const named = specifiers.filter(({ type }) => type === 'ImportSpecifier')
    const whole = specifiers.filter(({ type }) => type !== 'ImportSpecifier').map(({ local }) => local.name)
    const names = named.map(({ imported, local }) => `${imported.name}:${local.name}`)
    const from = `=globalThis.process.getBuiltinModule(${JSON.stringify(source.value)});`
    return [...whole, ...(names.length > 0 ? [`{${names.join()}}`] : [])].map((each) => `const ${each}${from}`).join('')
  }
  const isBuiltin = ({ source, type }) =>
    type === 'ImportDeclaration' &&
    isOfNode(source.value) &&
    (name === 'shared.js' || !/^(?:node:)?fs\b/u.test(source.value))
  return parseAst(code)
    .body.filter(isBuiltin)
    .toReversed()
    .reduce((text, each) => text.slice(0, each.start) + declared(each) + text.slice(each.end), code)
}

/**
 * Writes the characters beyond ASCII as escapes: for a single one, V8 keeps the whole file with two bytes a character. A file with many of them,
 * such as the words of generated records, stays as it is.
 */
function toAscii(code) {
  const escaped = code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return escaped.length < code.length * 1.1 ? escaped : code
}

const idleImport = /^import\s*"\.\/([^"]+)";?$/gmu

/**
 * Leaves out the imports without names of the runtime of the bundle, which has no effect, and replaces those of chunks that only import by what
 * these import: each file takes Node a millisecond to load.
 */
function withoutIdleImports(code, chunks) {
  return code.replaceAll(idleImport, (whole, name) => {
    if (name === 'rolldown-runtime.js') return ''
    const imported = chunks[name]?.code.replace(/^export\s*\{\s*\};?$/mu, '')
    const onlyImports = imported?.replaceAll(idleImport, '').trim() === ''
    return onlyImports ? withoutIdleImports(imported.trim(), chunks) : whole
  })
}

/** Minifies the entry point of the command line alone: an old Node must be able to parse it and all that it imports statically. */
async function readEntryPoint() {
  const { code } = await minify('main.js', await readFile(inPackage('dist/cli/main.js'), 'utf8'), shortNames)
  return ['main.js', splitLines(code)]
}

const pages = inPackage('src/console')
const pageNames = await readdir(pages)

/** The scripts of the pages by name, each with all that it imports: a report has that of the console inside. */
const pageScripts = { 'console.js': 'main.tsx', 'docs.js': 'docs.js' }

/** Bundles a script of a page. @returns Its name, its code, and the paths of its modules. */
async function bundlePage([name, entry]) {
  const built = await rolldown({
    input: join(pages, entry),
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
  })
  const { output } = await built.generate({ format: 'esm', minify: shortNames, comments: false })
  const [{ code, moduleIds }] = output
  return { name: `pages/${name}`, code: splitLines(code), moduleIds }
}

/** Reads a page, its styles or its icon. @returns Its name in the bundle, and its text. */
const readPage = async (name) => [`pages/${name}`, await readFile(join(pages, name), 'utf8')]

/** The files of RapiDoc for the API reference, by name in the bundle: one script with all that it needs, and the licences. */
const rapidoc = new Map(
  Object.entries({
    'pages/rapidoc-min.js': import.meta.resolve('rapidoc/dist/rapidoc-min.js'),
    'pages/rapidoc-min.js.LICENSE.txt': import.meta.resolve('rapidoc/dist/rapidoc-min.js.LICENSE.txt'),
    'pages/rapidoc.LICENSE.txt': import.meta.resolve('rapidoc/LICENSE.txt'),
  }).map(([name, url]) => [name, fileURLToPath(url)]),
)

const specs = ['insights', 'control'].map((name) => inPackage(`spec/${name}.yaml`))

/** Reads a spec of the package, because parsing its YAML takes each process longer. @returns Files named by its hash: its value, and its positions. */
async function parseSpec(file) {
  const { parseYaml } = await import('./dist/documents/parse-yaml.js')
  const { toPointer } = await import('./dist/documents/pointer.js')
  const text = await readFile(file, 'utf8')
  const { locate, value } = parseYaml(file, text)
  const positions = {}
  const add = (child, path) => {
    const positionOf = (at) => (({ column, line }) => ({ line, column }))(locate(path, at))
    positions[toPointer(path)] = { value: positionOf('value'), key: positionOf('key') }
    if (typeof child === 'object' && child !== null)
      for (const [key, each] of Object.entries(child)) add(each, [...path, key])
  }
  add(value, [])
  const name = `parsed/${createHash('sha256').update(text).digest('hex')}`
  return [
    [`${name}.json`, JSON.stringify(value)],
    [`${name}.positions.json`, JSON.stringify(positions)],
  ]
}

/**
 * Declares the types of a CommonJS entry: those of the ES module. `export type *` alone would export no values, and `export *` of an ES
 * module is refused. An error is a value and a type. @returns The name and the text of the declarations.
 */
async function declareTypes([name, file]) {
  const values = Object.entries(await import(inPackage(file)))
  const from = `'../${file}' with { 'resolution-mode': 'import' }`
  const declared = values.map(([value, { prototype }]) =>
    [
      `export declare const ${value}: typeof module.${value}\n`,
      prototype instanceof Error ? `export type ${value} = module.${value}\n` : '',
    ].join(''),
  )
  return [`${name}.d.cts`, `import type * as module from ${from}\nexport type * from ${from}\n${declared.join('')}`]
}

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

const folder = inPackage('bundle')

/** The last file that is written, even if it is unchanged: its time is the time of the bundle. */
const last = 'index.cjs'

/**
 * Adds files to a bundle. An unchanged file is not written, because a running double may be reading it.
 *
 * @param {RegExp} own - Matches the names of all files of this bundle. Those that are no longer part of it are removed.
 * @param {(modules: readonly string[]) => Promise<(readonly [name: string, text: string])[]>} readOthers - Gets the paths of the modules in the bundle.
 * @returns {import('rolldown').Plugin}
 */
const writeWhatChanged = (own, readOthers) => ({
  name: 'write-what-changed',
  async generateBundle(_, chunks) {
    const modules = Object.values(chunks).flatMap(({ moduleIds = [] }) => moduleIds)
    const isSame = async (name, text) =>
      name !== last && (await readFile(join(folder, name), 'utf8').catch(() => undefined)) === text
    for (const [name, chunk] of Object.entries(chunks)) chunk.code = splitLines(withBuiltins(chunk.code, name))
    // The unchanged ones are left out below.
    const all = { ...chunks }
    const names = new Set(Object.keys(chunks))
    for (const [name, chunk] of Object.entries(chunks)) {
      chunk.code = toAscii(withoutIdleImports(chunk.code, all))
      if (await isSame(name, chunk.code)) delete chunks[name]
    }
    for (const [fileName, source] of await readOthers(modules)) {
      names.add(fileName)
      if (!(await isSame(fileName, source))) this.emitFile({ type: 'asset', fileName, source })
    }
    const written = await readdir(folder, { recursive: true }).catch(() => [])
    for (const name of written.map((each) => each.replaceAll('\\', '/')))
      if (own.test(name) && !names.has(name)) await rm(join(folder, name))
  },
})

/** Replacements in modules of packages that a bundler would misread, or that read what is hardly ever needed: the module, the text, and what it means. */
const replacements = [
  // The `this` of a CommonJS module, which a bundler takes for that of an ES module.
  ['/uri-template-lite/', 'this.URI', 'exports.URI'],
  // The module with English alone exports what the whole one exports as `default`.
  ['/prism-http/dist/mocker/generator/JSONSchema.js', 'faker_1.default', 'faker_1'],
  // The list of all media types is read when one is looked up: that takes each of its two versions ten milliseconds.
  ...['/type-is/index.js', '/accepts/index.js'].map((file) => [
    file,
    "mime = require('mime-types')",
    "mime = { lookup: (name) => require('mime-types').lookup(name) }",
  ]),
  // So are the merge of `allOf`, the hash of ids that nobody reads, and two of three versions of JSON Schema.
  [
    '/validators/body.js',
    'require("@stoplight/json-schema-merge-allof")',
    '(...given) => require("@stoplight/json-schema-merge-allof")(...given)',
  ],
  ['/http-spec/hash.js', 'require("fnv-plus")', '{ fast1a52hex: (value) => require("fnv-plus").fast1a52hex(value) }'],
  ...['2019_09', '2020_12'].flatMap((version) => {
    const year = version.slice(0, 4)
    const file = '/validators/utils.js'
    const made = `createAjvInstances(_${year}_1.default)`
    return [
      [file, `const _${year}_1 = require("ajv/dist/${year}")`, `const read${year} = () => require("ajv/dist/${year}")`],
      [
        file,
        `draft${version}: ${made}`,
        `get draft${version}() { return this.own${year} ??= createAjvInstances(read${year}().default) }`,
      ],
    ]
  }),
  ['/koa/lib/response.js', "require('mime-types').contentType", "(type) => require('mime-types').contentType(type)"],
]
const replaceTexts = {
  name: 'replace-texts',
  transform(code, id) {
    const own = replacements.filter(([file]) => id.includes(file))
    return own.length > 0 ? own.reduce((text, [, found, meant]) => text.replaceAll(found, meant), code) : undefined
  },
}

/** Tells whether a module is small and imported by most others. These are one file, because each file takes Node a millisecond to load. */
const isShared = (id) =>
  /^(?:client\/(?!send)|documents\/(?:object|pointer|problem)\.|(?!index|run-with|send)[\w-]+\.)/u.test(
    relative(inPackage('dist'), id),
  )

/**
 * Bundles entries and what they import.
 *
 * @param {Readonly<Record<string, string>>} input
 * @param {'cjs' | 'esm'} format
 * @param {import('rolldown').Plugin[]} plugins
 * @returns {import('rolldown').RolldownOptions}
 */
function bundle(input, format, plugins) {
  const fileNames = format === 'cjs' ? '[name].cjs' : '[name].js'
  return {
    cwd: import.meta.dirname,
    input,
    platform: 'node',
    // Otherwise calls with an unused result are removed, such as a call of `decodeURIComponent` that only checks its argument.
    treeshake: false,
    // The code of the dependencies is in the bundle: one package is faster to install and to load than two hundred.
    external: isOfNode,
    resolve: {
      alias: {
        // Its CommonJS form loads its modules through a parameter named `require`, which a bundler cannot follow.
        'jsonc-parser': inPackage('node_modules/jsonc-parser/lib/esm/main.js'),
        // Prism uses the English words alone; the other languages are 24 MB.
        '@faker-js/faker$': '@faker-js/faker/locale/en',
      },
    },
    plugins: [...plugins, replaceTexts],
    output: {
      dir: folder,
      format,
      comments: false,
      minify: shortNames,
      entryFileNames: fileNames,
      chunkFileNames: fileNames,
      codeSplitting: { groups: [{ name: 'shared', test: isShared }] },
    },
  }
}

const timeOf = (file) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

const sources = [
  import.meta.filename,
  inPackage('dist/.tsbuildinfo'),
  ...specs,
  inPackage('package-lock.json'),
  inPackage('scripts/bundled-packages.js'),
  ...pageNames.map((name) => join(pages, name)),
  ...rapidoc.values(),
]
const lastChange = Math.max(...(await Promise.all(sources.map(timeOf))))
const isOld = lastChange >= (await timeOf(join(folder, last)))
const readRapidoc = async ([name, file]) => [name, await readFile(file, 'utf8')]
/** Describes the packages in the bundle. */
async function describePackages(modules) {
  const packages = await readPackages([...modules, ...rapidoc.values()])
  return [
    ['NOTICE.txt', noticeOf(packages)],
    ['sbom.cdx.json', billOfMaterials(packages)],
  ]
}
async function readModuleOthers(modules) {
  const scripts = await Promise.all(Object.entries(pageScripts).map(bundlePage))
  return [
    ...scripts.map(({ code, name }) => [name, code]),
    ...(await Promise.all([
      ...pageNames.filter((name) => /\.(?:css|html|svg)$/u.test(name)).map(readPage),
      ...[...rapidoc].map(readRapidoc),
      readEntryPoint(),
    ])),
    ...(await Promise.all(specs.map(parseSpec))).flat(),
    ...(await describePackages([...modules, ...scripts.flatMap(({ moduleIds }) => moduleIds)])),
  ]
}
const readCommonJsOthers = () => Promise.all(Object.entries(entries).map(declareTypes))

// oxlint-disable-next-line import/no-default-export -- Rolldown asks for one.
export default isOld
  ? [
      bundle({ ...entries, ...others }, 'esm', [
        { name: 'describe-options', buildStart: describeOptions },
        writeWhatChanged(/\.(?!c[jt]s$)\w+$/u, readModuleOthers),
      ]),
      // Jest cannot load an ES module.
      bundle(entries, 'cjs', [writeWhatChanged(/\.c[jt]s$/u, readCommonJsOthers)]),
    ]
  : []
