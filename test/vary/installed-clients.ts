/** Clients made with packages of npm. Public ones have the version before the fix of a breakage that a legal change of a response had caused. */
import type { Client } from './clients.js'

export interface InstalledClient extends Pick<Client, 'name' | 'relies' | 'script'> {
  readonly packages: readonly string[]
}

/** A server that renders the orders of the double with React, as a test of its pages sees them. */
const rendered = `import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { createServer } from 'node:http'
const page = createServer(async (_, response) => {
  const orders = await read('/orders')
  response.end(renderToString(createElement('ol', null, orders.map(({ id }) => createElement('li', { key: id }, id)))))
}).listen(0, '127.0.0.1')
await new Promise((done) => page.once('listening', done))
const html = await (await fetch('http://127.0.0.1:' + page.address().port)).text()
page.close()
`

const order = `z.object({ id: z.string(), customer: z.string(), placedAt: z.string(), sentAt: z.string().nullish(),
  note: z.string().optional(), count: z.number().optional(), state: z.string().optional(), path: z.string().optional() })`

export const installedClients: readonly InstalledClient[] = [
  {
    name: 'is nano 11.0.3: a document with a charset is no document (github.com/apache/couchdb-nano/issues/366)',
    packages: ['nano@11.0.3'],
    relies: ['media-type-case getOrder 200', 'media-type-parameter getOrder 200'],
    script: `import nano from 'nano'
assert.equal((await nano(url).use('orders').get('o1')).id, 'o1')`,
  },
  {
    name: 'is ms-rest-js 0.6.174: a body with a charset is not parsed (github.com/Azure/ms-rest-js/issues/120)',
    packages: ['ms-rest-js@0.6.174'],
    relies: ['media-type-case getOrder 200', 'media-type-parameter getOrder 200'],
    script: `import azure from 'ms-rest-js'
assert.equal((await new azure.ServiceClient().sendRequest({ url: url + '/orders/o1', method: 'GET' })).parsedBody?.id, 'o1')`,
  },
  {
    name: 'is @aws-sdk/smithy-client 3.257.0: a time with an offset is no time (github.com/aws/aws-sdk-js-v3/pull/4385)',
    packages: ['@aws-sdk/smithy-client@3.257.0'],
    relies: ['date-offset Order.placedAt'],
    script: `import { parseRfc3339DateTime } from '@aws-sdk/smithy-client'
for (const { placedAt } of await read('/orders')) assert.ok(parseRfc3339DateTime(placedAt).getTime() > 0)`,
  },
  {
    name: 'is m2x 2.0.2: an order with a charset has no JSON (github.com/attm2x/m2x-nodejs/pull/33)',
    packages: ['m2x@2.0.2'],
    relies: ['media-type-case getOrder 200', 'media-type-parameter getOrder 200'],
    script: `import M2X from 'm2x'
const { client } = new M2X('key', url)
assert.equal((await new Promise((done) => client.get('/orders/o1', done))).json?.id, 'o1')`,
  },
  {
    name: 'is @stellar/stellar-sdk 12.1.0: a 404 without a reason phrase is no NotFoundError (github.com/stellar/js-stellar-sdk/pull/1001)',
    packages: ['@stellar/stellar-sdk@12.1.0'],
    relies: ['reason-phrase getLedger 404'],
    script: `import { Horizon } from '@stellar/stellar-sdk'
const error = await new Horizon.Server(url, { allowHttp: true }).ledgers().ledger('none').call().catch((thrown) => thrown)
assert.equal(error.name, 'NotFoundError')`,
  },
  {
    name: 'validates orders with a strict schema of zod',
    packages: ['zod@4.1.12'],
    relies: ['unknown-property Order'],
    script: `import { z } from 'zod'
z.array(${order}.strict()).parse(await read('/orders'))`,
  },
  {
    name: 'renders orders with React on the server, the newest first',
    packages: ['react@19.2.0', 'react-dom@19.2.0'],
    relies: ['order listOrders 200'],
    script: `${rendered}assert.match(html, /^<ol><li>o1</)`,
  },
  {
    name: 'validates orders with a schema of zod, or shows them with React (correct)',
    packages: ['zod@4.1.12', 'react@19.2.0', 'react-dom@19.2.0'],
    relies: [],
    script: `import { z } from 'zod'
z.array(${order}).parse(await read('/orders'))
${rendered}assert.match(html, /<li>o1</)`,
  },
  {
    name: 'reads orders with the generated types of openapi-fetch (correct)',
    packages: ['openapi-fetch@0.17.0'],
    relies: [],
    script: `import createClient from 'openapi-fetch'
const { data } = await createClient({ baseUrl: url }).GET('/orders/{id}', { params: { path: { id: 'o1' } } })
assert.equal(data.customer, 'Ada')`,
  },
]
