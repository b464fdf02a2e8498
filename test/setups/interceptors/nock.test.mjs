import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import nock from 'nock'

import { listInsights, noApp, useDouble } from './use-double.mjs'

after(() => nock.restore())

test('the handle works with disableNetConnect', async () => {
  nock.disableNetConnect()
  assert.equal(await useDouble(noApp), 0)
  await assert.rejects(useDouble(listInsights), /Disallowed net connect/u)
})

test('the app reaches the double if nock lets its requests pass', async () => {
  nock.disableNetConnect()
  nock.enableNetConnect('127.0.0.1')
  assert.equal(await useDouble(), 1)
})
