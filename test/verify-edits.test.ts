import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'

import test from 'ava'

import { exits } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { sendRequest } from './helpers/http.js'
import { listenUntilEnd } from './helpers/port.js'

const text = { type: 'string' }
const job = {
  type: 'object',
  required: ['id', 'name', 'queue'],
  properties: { id: text, name: text, queue: { ...text, enum: ['usual', 'slow'] }, last_run: text },
}
const record = { $ref: '#/components/schemas/Job' }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answers = (status: number, schema?: object): object => ({
  responses: {
    [status]: { description: 'Done.', ...(schema ? json(schema) : {}) },
    400: { description: 'Bad.' },
    404: { description: 'None.' },
    409: { description: 'Taken.' },
  },
})
const contract = {
  openapi: '3.0.3',
  info: { title: 'Jobs', version: '1.0.0' },
  components: { schemas: { Job: job } },
  paths: {
    '/jobs': {
      get: { operationId: 'listJobs', ...answers(200, { type: 'array', items: record }) },
      post: {
        operationId: 'createJob',
        requestBody: { required: true, ...json({ ...job, required: ['name', 'queue'] }) },
        ...answers(201, record),
      },
    },
    '/jobs/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { operationId: 'readJob', ...answers(200, record) },
      delete: { operationId: 'deleteJob', ...answers(204) },
    },
    '/jobs/{id}/log': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { operationId: 'readLog', ...answers(200, { type: 'object', properties: { lines: { type: 'integer' } } }) },
    },
  },
}

test('edits state what a body may lack, that duplicates are accepted, that parents and ids are not read, where the record is, and times of other events', async (t) => {
  const jobs = new Map<string, object>()
  const add = (body: object): object => {
    const id = randomUUID()
    jobs.set(id, { queue: 'usual', ...body, id, last_run: new Date().toISOString() })
    return jobs.get(id) ?? {}
  }
  add({ name: 'backup' })
  const server = createServer(({ method, url = '' }, response) => {
    const answer = async (): Promise<void> => {
      const chunks: unknown[] = await response.req.setEncoding('utf8').toArray()
      const [, , id, part] = url.split(/[/?]/u)
      const sent = (method === 'POST' ? JSON.parse(chunks.join('')) : {}) as { readonly name?: unknown }
      const whole = jobs.get(id ?? '')
      const found =
        part === 'log' ? { lines: 0 } : id === undefined ? [...jobs.values()] : whole && { page: 1, job: whole }
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
  const spec = await writeTemporary(t, 'jobs.json', JSON.stringify(contract))
  const overlay = join(await temporaryFolder(t), 'real.yaml')
  const may = ['--may', 'createJob', '--may', 'deleteJob', '--pace', '10000']
  const { stdout } = await exits(t, 1, ['verify', url, spec, ...may, '--apply', overlay])
  t.regex(stdout, /edit: `queue` is not required at /u)
  t.regex(stdout, /edit: remove `enum` at /u)
  t.regex(stdout, /edit: it accepts duplicates at /u)
  t.regex(stdout, /edit: it does not look for the records of its path at /u)
  const double = await serve(t, { spec, overlay, fixture: { jobs: [] } })
  t.is((await sendRequest(double, 'GET', '/jobs/none/log')).status, 200)
  const post = async (body: object): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { 'content-type': 'application/json' }
    const { status, text: sent } = await sendRequest(double, 'POST', '/jobs', { headers, body: JSON.stringify(body) })
    t.is(status, 201, sent)
    return JSON.parse(sent) as Readonly<Record<string, unknown>>
  }
  const { id, last_run: lastRun } = await post({ name: 'report' })
  t.regex(String(lastRun), /^\d{4}-\d\d-\d\dT/u)
  t.not((await post({ name: 'late', last_run: 'never' }))['last_run'], 'never')
  t.not((await post({ name: 'report', queue: 'other', id }))['id'], id)
})
