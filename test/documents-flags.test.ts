import test from 'ava'

import { describeOption, doubleOptions, type OptionDefinition } from '#src/options.js'

import { exits, run } from './helpers/cli.js'
import { readDocument } from './helpers/documents.js'
import { packageFolder, readPackageFile } from './helpers/files.js'
import { codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'
import { shell } from './helpers/shell.js'
import { project } from './helpers/user-project.js'

/** A flag in the document and in the help. */
interface Told {
  readonly flag: string
  readonly short: string | undefined
  readonly byDefault: string | undefined
}

const defaultIn = (text: string): string | undefined => /\(([^()]+)\)$/u.exec(text.replaceAll('`', ''))?.[1]

/** Returns the flags of a command in the help. */
async function inHelp(stdout: string, command: string): Promise<readonly Told[]> {
  const [section = ''] = stdout.slice(stdout.indexOf(`  insights-double ${command}`)).split('\n\n')
  const lines = [...section.matchAll(/^ +(?:(-\w), )?(--[\w-]+)(?: <[^>]+>)? {2,}(.*)$/gmu)]
  return lines.map(([, short, flag = '', help = '']) => ({ flag, short, byDefault: defaultIn(help) }))
}

const byFlag = (one: Told, other: Told): number => one.flag.localeCompare(other.flag)

test('the document lists the same flags and defaults of serve as the help, and describes each as it is defined', async (t) => {
  const table = tableOf(sectionOf(await readDocument('command-line'), 'Flags'))
  const told = table.map(([names = '', what = '']): Told => {
    const [flag = '', short] = codesIn(names)
    return { flag, short, byDefault: defaultIn(what) }
  })
  const { stdout } = await run(t, ['--help'])
  const known = await inHelp(stdout, '[serve]')
  t.true(known.length > 15)
  t.deepEqual(told.toSorted(byFlag), known.toSorted(byFlag))
  const described = new Map(table.map(([names = '', what = '']) => [codesIn(names)[0], what.replaceAll('`', '')]))
  for (const [name, option] of Object.entries<OptionDefinition>(doubleOptions)) {
    // `--vary` is a flag of `run`, with another meaning.
    if (name === 'vary') continue
    const words = name.replace(/Ms$/u, '').replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)
    const flag = `--${option.type === 'strings' ? words.replace(/s$/u, '') : words}`
    t.true(described.get(flag)?.startsWith(describeOption(option)), flag)
  }
})

test('the document lists the same flags of the other commands as the help', async (t) => {
  const section = sectionOf(await readDocument('command-line'), 'Commands')
  const table = tableOf(section)
  const { stdout } = await run(t, ['--help'])
  const commands = new Set([...stdout.matchAll(/^ {2}insights-double (\w+)/gmu)].map(([, name]) => name))
  const [all] = /^The last three find .*$/mu.exec(section) ?? ['']
  const shared = codesIn(all).filter((code) => code.startsWith('--'))
  t.deepEqual(shared, ['--url', '--admin-token', '--admin-token-file'])
  for (const [index, [usage = '', what = '']] of table.entries()) {
    const [, name = ''] = /^`insights-double (\w+)/u.exec(usage) ?? []
    t.true(commands.delete(name), name)
    const isLastThree = index >= table.length - 3
    const told = [...codesIn(what).filter((code) => code.startsWith('--')), ...(isLastThree ? shared : [])]
    const known = await inHelp(stdout, name)
    t.deepEqual(told.toSorted(), known.map(({ flag }) => flag).toSorted(), name)
    const words = usage.slice(`\`insights-double ${name}`.length, -1).trim()
    t.true(stdout.includes(`  insights-double ${name}  ${words === '' ? '' : `${words}  `}`), usage)
  }
  t.is(commands.size, 0)
  const known = (await inHelp(stdout, 'reset')).find(({ flag }) => flag === '--url')?.byDefault
  t.is(known, 'http://127.0.0.1:4010, or env INSIGHTS_DOUBLE_URL')
  t.true(all.includes('`--url` or env `INSIGHTS_DOUBLE_URL` (http://127.0.0.1:4010)'))
})

test('node bundle/main.js --help and npx insights-double --help show the flags', async (t) => {
  const { stdout } = await run(t, ['--help'])
  const direct = await shell(t, 'node bundle/main.js --help', { cwd: packageFolder })
  t.deepEqual(direct, { code: 0, stdout, stderr: '' })
  const installed = await shell(t, 'npx --offline insights-double --help', { cwd: await project(t, {}) })
  t.like(installed, { code: 0, stdout })
})

test('the default port is 4010', async (t) => {
  // No machine has this address, so the start fails, and the message names the port.
  const { stderr } = await exits(t, 2, ['--memory', '--host', '192.0.2.1', '--admin-token', 'secret'])
  t.true(stderr.includes('192.0.2.1:4010'), stderr)
})

test('the published type of each option has its description', async (t) => {
  const source = await readPackageFile('dist/options.d.ts')
  const found = source.matchAll(/\/\*\* (.*) \*\/\n {4}readonly (\w+): \{/gu)
  const comments = new Map([...found].map(([, text, name]) => [name, text]))
  for (const [name, option] of Object.entries<OptionDefinition>(doubleOptions)) {
    const text = describeOption(option)
    const byDefault = option.defaultText ?? String(option.default ?? 'none')
    t.is(comments.get(name), `${text[0]?.toUpperCase()}${text.slice(1)}. Default: ${byDefault}.`, name)
  }
})
