import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { exits, run } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { integer, listOf, object, ref, text } from './resources/plants-contract.js'
import { contract } from './resources/rules-contract.js'

/** A contract whose create has properties that only the server can know. The listing has no example of them. */
const ticketsSpec = (create: object = {}): string => {
  const made = { ...integer, readOnly: true }
  const sent = { subject: text, lines: listOf(object({ name: text }, 'name')) }
  const lines = listOf(object({ name: text, articleId: made }, 'name', 'articleId'))
  const all = { ...sent, id: text, number: made, author: made, lines }
  const operations = {
    'GET /tickets': { response: listOf(ref('Ticket')), with: { operationId: 'listTickets' } },
    'POST /tickets': {
      request: object(sent, 'subject', 'lines'),
      status: 201,
      with: { operationId: 'openTicket', ...create },
    },
    'DELETE /tickets/{id}': { status: 204, with: { operationId: 'closeTicket' } },
  }
  return JSON.stringify(contract(operations, { Ticket: object(all, ...Object.keys(all)) }))
}

test('a handler for a create, or x-double: mocked on it, leaves the rest of its collection stateful', async (t) => {
  const plain = await writeTemporary(t, 'tickets.json', ticketsSpec())
  const mocked = await writeTemporary(t, 'tickets.json', ticketsSpec({ 'x-double': 'mocked' }))
  const own = await writeTemporary(
    t,
    'h.mjs',
    `export const openTicket = ({ state, body }) => {
      const lines = body.lines.map((line, articleId) => ({ ...line, articleId }))
      return { status: 201, state: { ...state, tickets: [...state.tickets, { ...body, lines, number: 7, author: 1 }] } }
    }`,
  )
  const tickets = await writeTemporary(t, 'fixture.json', '{ "tickets": [] }')
  const explained = await run(t, ['explain', '--spec', plain])
  t.regex(explained.stdout, /openTicket: number, author/u, 'a value fills what a client cannot send')

  for (const [file, flags, role] of [
    [plain, ['--handlers', own], 'handler'],
    [mocked, [], 'mocked'],
  ] as const) {
    const { stdout } = await run(t, ['explain', '--spec', file, ...flags])
    t.deepEqual(stdout.match(/(?<=^\w+ +\w+ \/\S+ +)\w+/gmu), ['list', role, 'remove'], stdout)
    await exits(t, 0, ['check', file, tickets, '--spec', file, ...flags])
    const schema = await run(t, ['schema', '--spec', file, ...flags])
    t.true(schema.stdout.includes('"tickets"'), schema.stderr)
  }
  const double = await serve(t, { spec: plain, handlers: own, fixture: { tickets: [] } })
  const opened = await sendJson(double, 'POST', '/tickets', { subject: 'Leak', lines: [{ name: 'pot' }] })
  t.is(opened.status, 201, opened.text)
  const [ticket] = asList(json(await get(double, '/tickets'))).map(asObject)
  t.deepEqual(ticket, { ...ticket, subject: 'Leak', number: 7, author: 1, lines: [{ name: 'pot', articleId: 0 }] })
  t.is((await sendJson(double, 'DELETE', `/tickets/${String(ticket?.['id'])}`, undefined)).status, 204)
  t.deepEqual(json(await get(double, '/tickets')), [])
})
