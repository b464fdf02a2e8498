import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

import test from 'ava'

import { lintSpec } from '#src/contract/lint/lint-spec.js'
import { loadContract } from '#src/contract/load-contract.js'
import { parseDocument, readSource } from '#src/documents/source.js'
import { controlSpec, defaultSpec, parsedYamlFolder } from '#src/package-files.js'

import { asObject } from './helpers/as-object-or-list.js'
import { control } from './helpers/control.js'
import { serve } from './helpers/double.js'
import { readPackageYaml } from './helpers/files.js'
import { as, ask } from './helpers/http.js'

test('every operation that documents a 401 or a 403 sends it, without an admin token or to another origin', async (t) => {
  const [guarded, open] = [await serve(t, { adminToken: 'secret' }), await serve(t)]
  let count = 0
  for (const [template, item] of Object.entries(asObject((await readPackageYaml('spec/control.yaml'))['paths']))) {
    const path = template.replaceAll(/\{\w+\}/gu, 'none')
    for (const [method, operation] of Object.entries(asObject(item)).filter(([, each]) => !Array.isArray(each))) {
      const { operationId, responses } = asObject(operation)
      const documented = asObject(responses)
      const origin = { origin: 'https://insights.example' }
      for (const [status, reply] of [
        ['401', await ask(guarded, method.toUpperCase(), path)],
        ['403', await ask(open, method.toUpperCase(), path, origin)],
      ] as const) {
        t.is(String(reply.status) === status, status in documented, `${String(operationId)} ${status}`)
        count += status in documented ? 1 : 0
      }
    }
  }
  t.true(count > 40)
})

test('the control plane needs no credential of a caller, and ignores an unknown credential', async (t) => {
  const double = await serve(t)
  t.is((await control(double, 'GET', '/health')).status, 200)
  t.is((await control(double, 'GET', '/health', undefined, as('nobody'))).status, 200)
})

test('the contract of the control plane has no problem and no diagnostic, is not rewritten, and can be loaded', async (t) => {
  const source = await readSource(controlSpec)
  t.deepEqual(lintSpec(source), { problems: [], diagnostics: [], document: source.value })
  await t.notThrowsAsync(loadContract(controlSpec))
})

for (const [name, file] of Object.entries({ service: defaultSpec, 'control plane': controlSpec }))
  test(`the contract of the ${name} is loaded from JSON, and has the value, the text and the positions of the YAML`, async (t) => {
    const bytes = await readFile(file)
    t.true((await readdir(parsedYamlFolder)).includes(`${createHash('sha256').update(bytes).digest('hex')}.json`))
    const yaml = await parseDocument(file, bytes)
    const { locate, text, value } = await readSource(file)
    t.deepEqual(value, yaml.value)
    t.is(text, yaml.text)
    for (const path of [...pathsIn(value), ['paths', 'none', 'get']])
      for (const at of ['key', 'value'] as const) t.deepEqual(locate(path, at), yaml.locate(path, at))
  })

const pathsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] => [
  path,
  ...(typeof value === 'object' && value !== null ? Object.entries(value) : []).flatMap(([key, child]) =>
    pathsIn(child, [...path, key]),
  ),
]
