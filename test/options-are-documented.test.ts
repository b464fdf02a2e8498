import { readFile } from 'node:fs/promises'

import test from 'ava'

import { describeOption, doubleOptions } from '#src/options.js'
import type { OptionDefinition } from '#src/options.js'

import { packageFolder } from './helpers/package-folder.js'
import { codesIn, readReadme, sectionOf, tableOf } from './helpers/read-markdown.js'

const options = Object.entries<OptionDefinition>(doubleOptions)

test('the published type of each option has its description', async (t) => {
  const source = await readFile(`${packageFolder}/dist/options.d.ts`, 'utf8')
  const comments = new Map(
    [...source.matchAll(/\/\*\* (.*) \*\/\n {4}readonly (\w+): \{/gu)].map(([, text, name]) => [name, text]),
  )
  for (const [name, option] of options) {
    const text = describeOption(option)
    const byDefault = option.defaultText ?? String(option.default ?? 'none')
    t.is(comments.get(name), `${text[0]?.toUpperCase()}${text.slice(1)}. Default: ${byDefault}.`, name)
  }
})

test('the README describes each option of serve like its definition', async (t) => {
  const table = tableOf(sectionOf(await readReadme(), 'Flags'))
  const told = new Map(table.map(([names = '', what = '']) => [codesIn(names)[0], what.replaceAll('`', '')]))
  for (const [name, option] of options) {
    const words = name.replace(/Ms$/u, '').replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)
    const flag = `--${option.type === 'strings' ? words.replace(/s$/u, '') : words}`
    t.true(told.get(flag)?.startsWith(describeOption(option)), `${flag}: ${describeOption(option)}`)
  }
})
