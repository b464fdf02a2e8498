import assert from 'node:assert/strict'
import { test } from 'node:test'

import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'

import { noApp, useDouble } from './use-double.mjs'

test("the handle works with onUnhandledRequest: 'error'", async () => {
  const server = setupServer()
  server.listen({ onUnhandledRequest: 'error' })
  assert.equal(await useDouble(noApp), 0)
  await assert.rejects(fetch('http://127.0.0.1:9/'))
  server.close()
})

test('the app reaches the double if MSW lets its requests pass', async () => {
  const server = setupServer(http.get('https://other.example/', () => HttpResponse.text('mocked')))
  server.listen({ onUnhandledRequest: ({ url }, print) => url.startsWith('http://127.0.0.1:') || print.error() })
  assert.equal(await useDouble(), 1)
  assert.equal(await (await fetch('https://other.example/')).text(), 'mocked')
  server.close()
})
