import test from 'ava'

import { lintSpec } from '#src/contract/lint/lint-spec.js'
import { loadContract } from '#src/contract/load-contract.js'
import { readSource } from '#src/documents/source.js'
import { controlSpec } from '#src/package-files.js'

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
  const source = await readSource(controlSpec.file)
  t.deepEqual(lintSpec(source), { problems: [], diagnostics: [], document: source.value })
  await t.notThrowsAsync(loadContract(controlSpec.file))
})

test('the contract of the control plane is loaded from JSON without descriptions, and has the text and the positions of the YAML', async (t) => {
  const yaml = await readSource(controlSpec.file)
  const { document, locate, writeText } = await loadContract(controlSpec.file, { verifiedValue: controlSpec.valueFile })
  const withoutDescriptions: unknown = JSON.parse(JSON.stringify(yaml.value), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? '' : value,
  )
  t.deepEqual<unknown, unknown>(document, withoutDescriptions, 'npm run build writes the JSON again')
  t.is(writeText(), yaml.text)
  const path = ['paths', '/__admin/health', 'get', 'operationId']
  t.deepEqual(locate(path, 'key'), yaml.locate(path, 'key'))
})
