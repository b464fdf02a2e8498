import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'

import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import { exits } from './helpers/cli.js'
import { excuse, serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { listenUntilEnd } from './helpers/port.js'
import { body, integer, listOf, object, ref, text } from './resources/plants-contract.js'
import { contract, done } from './resources/rules-contract.js'

const target = object({ host: text, port: integer }, 'host')
const job = { id: text, name: text, log: text, queue: { ...text, enum: ['usual', 'slow'] }, target, last_run: text }
const record = ref('Job')
const responses = { 201: body(record), 400: { description: 'Bad.' }, 409: { description: 'Taken.' } }
const lines = {
  'GET /jobs': { response: object({ jobs: listOf(record) }) },
  'POST /jobs': { request: object({ ...job, log: undefined }, 'name', 'queue'), with: { responses } },
  'GET /jobs/{id}': { response: record },
  'DELETE /jobs/{id}': done,
  'GET /jobs/{id}/log': { response: object({ lines: integer }) },
}

test('edits state what a body may lack, what is next to the records of a list, that duplicates are accepted, that parents and ids are not read, where the record is, and times of other events', async (t) => {
  const jobs = new Map<string, object>()
  const add = (sent: object): object => {
    const id = randomUUID()
    jobs.set(id, { queue: 'usual', ...sent, id, log: `/jobs/${id}/log`, last_run: new Date().toISOString() })
    return jobs.get(id) ?? {}
  }
  add({ name: 'backup', target: { host: 'a', port: 1 } })
  const server = createServer(({ method, url = '' }, response) => {
    const answer = async (): Promise<void> => {
      const chunks: unknown[] = await response.req.setEncoding('utf8').toArray()
      const [, , id, part] = url.split(/[/?]/u)
      const sent = (method === 'POST' ? JSON.parse(chunks.join('')) : {}) as { readonly name?: unknown }
      const whole = jobs.get(id ?? '')
      const found =
        part === 'log'
          ? { lines: 0 }
          : id === undefined
            ? { jobs: [...jobs.values()], region: 'north' }
            : whole && { page: 1, job: whole }
      const isKnown = method === 'POST' ? typeof sent.name === 'string' : found !== undefined
      if (method === 'DELETE') jobs.delete(id ?? '')
      const good = method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200
      const status = isKnown ? good : method === 'POST' ? 400 : 404
      response.writeHead(status, status < 204 ? { 'content-type': 'application/json' } : {})
      response.end(status < 204 ? JSON.stringify(method === 'POST' ? add(sent) : found) : undefined)
    }
    answer().catch(() => response.writeHead(400).end())
  })
  const url = await listenUntilEnd(t, server)
  const spec = await writeTemporary(t, 'jobs.json', contract(lines, { Job: object(job, 'id', 'name', 'queue') }))
  const overlay = join(await temporaryFolder(t), 'real.yaml')
  const may = ['--may', 'POST /jobs', '--may', 'DELETE /jobs/{id}', '--pace', '10000']
  const { stdout } = await exits(t, 1, ['verify', url, spec, ...may, '--apply', overlay])
  t.regex(stdout, /edit: `queue` is not required at /u)
  t.regex(stdout, /edit: remove `enum` at /u)
  t.regex(stdout, /edit: `host` is not required at /u)
  t.regex(stdout, /edit: add the property `region` at /u)
  t.regex(stdout, /edit: it accepts duplicates at /u)
  t.regex(stdout, /edit: it does not look for the records of its path at /u)
  const double = await serve(t, { spec, overlay, fixture: { jobs: [] } })
  excuse(double, 'the overlay documents another response')
  t.is((await get(double, '/jobs/none/log')).status, 200)
  t.like(json(await get(double, '/jobs')), { region: 'north' })
  const post = async (sent: object): Promise<Readonly<Record<string, unknown>>> => {
    const reply = await sendJson(double, 'POST', '/jobs', sent)
    t.is(reply.status, 201, reply.text)
    return asObject(json(reply))
  }
  const { id, last_run: lastRun, log } = await post({ name: 'report' })
  t.is(log, `/jobs/${String(id)}/log`)
  t.like(json(await get(double, `/jobs/${String(id)}`)), { page: 1, job: { id, name: 'report' } })
  t.regex(String(lastRun), /^\d{4}-\d\d-\d\dT/u)
  t.not((await post({ name: 'late', last_run: 'never' }))['last_run'], 'never')
  t.not((await post({ name: 'report', queue: 'other', target: { port: 2 }, id }))['id'], id)
})
