import test from 'ava'
import { parse } from 'yaml'

import { commands, flags } from '#src/cli/flags.js'

import { asObject } from './helpers/as-object-or-list.js'
import { readDocument } from './helpers/documents.js'
import { testOnDouble } from './helpers/double.js'
import { readPackageFile } from './helpers/files.js'
import { get } from './helpers/http.js'
import { codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'

testOnDouble('the double serves the summary', async (t, double) => {
  const { headers, status, text } = await get(double, '/__admin/llms.txt')
  t.is(status, 200)
  t.is(headers['content-type'], 'text/markdown; charset=utf-8')
  t.is(text, await readDocument('summary'))
})

test('the commands, flags and paths of the summary exist', async (t) => {
  const summary = await readDocument('summary')
  const codes = codesIn(summary)
  const named = codes.flatMap((code) => code.split(' ').filter((word) => word.startsWith('--')))
  t.true(named.length > 8)
  for (const name of named) t.true(name === '--' || name.slice(2) in flags, name)
  const told = codesIn(
    tableOf(sectionOf(summary, 'Commands'))
      .map(([cell = '']) => cell)
      .join(' '),
  )
    .map((code) => code.replace('insights-double ', '').split(' ')[0] ?? '')
    .map((word) => (word === 'shop.yaml' ? 'serve' : word))
  t.deepEqual(told.toSorted(), commands.toSorted())
  const { paths } = asObject(parse(await readPackageFile('spec/control.yaml')))
  for (const code of codes) {
    const [, path] = /(\/__admin\/[\w./-]*)/u.exec(code) ?? []
    if (path !== undefined) t.true(path in asObject(paths), path)
  }
})
