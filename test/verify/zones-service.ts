/** A service that nobody has prepared: its lists omit what reads show, its ids are names, one of its lists answers 503, and it does more than its contract says. */
import { createServer } from 'node:http'

import type { ExecutionContext } from 'ava'

import { listenUntilEnd } from '../helpers/port.js'
import { body, inPath, type Json, listOf, object, parameter, ref, text } from '../resources/plants-contract.js'

const error = body(ref('Error'))
const answers = (status: number, schema?: Json): object => ({
  responses: { [status]: schema ? body(schema) : { description: 'Done.' }, 400: error, 404: error },
})
const zone = ref('Zone')
const by = { ...text, readOnly: true, example: 'someone' }
const date = { type: 'string', format: 'date-time' }
const texts = { id: text, name: text, kind: text, notes: text, soa: object({ mail: text, until: date }), state: text }
// The service makes another code for each zone.
const made = { touched: { ...text, readOnly: true }, by, code: { ...text, readOnly: true } }
const zoneSchema = object({ ...texts, ...made, twin: zone, servers: listOf(text) })
const broken = object({ id: text, title: text }, 'id')
const flag = { type: 'boolean' }
const readBroken = { operationId: 'readBroken', ...answers(200, broken) }

/** The contract of the service. */
export const zonesContract = {
  openapi: '3.1.0',
  info: { title: 'Zones', version: '1.0.0' },
  paths: {
    '/brokens': { get: { operationId: 'listBroken', ...answers(200, listOf(broken)) } },
    '/brokens/{brokenId}': { parameters: [inPath('brokenId')], get: readBroken },
    '/zones': {
      get: {
        operationId: 'listZones',
        // The service selects by the owner, which no zone shows.
        parameters: [parameter('details', flag), parameter('owner', text), { $ref: '#/components/parameters/Kind' }],
        ...answers(200, listOf(zone)),
      },
      post: { operationId: 'createZone', requestBody: { required: true, ...body(zone) }, ...answers(201, zone) },
    },
    '/zones/{zoneId}': {
      parameters: [inPath('zoneId')],
      // It does not document 404.
      get: { operationId: 'readZone', responses: { 200: body(zone) } },
      delete: { operationId: 'deleteZone', ...answers(204) },
    },
    '/version': { get: { operationId: 'readVersion', ...answers(200, object({ number: text })) } },
    // It takes the same body as a creation, and needs no part of it.
    '/imports': {
      get: { operationId: 'getImports', parameters: [parameter('new', flag)], ...answers(200, listOf(text)) },
      post: { operationId: 'importZone', requestBody: body(zone), ...answers(202) },
    },
    '/tools/{toolId}/check': {
      parameters: [inPath('toolId')],
      get: { operationId: 'checkTool', ...answers(200, object({ isGood: flag })) },
    },
  },
  components: {
    // The service ignores it.
    parameters: { Kind: parameter('kind', text) },
    schemas: { Zone: zoneSchema, Error: object({ error: text }, 'error') },
  },
}

/** The same in all zones, whatever is sent. */
export const soa = { mail: 'a@b.example', until: '2030-01-01T00:00:00Z' }

interface Zone {
  readonly name: string
  readonly kind: string
  readonly notes?: string
  readonly owner?: string
  readonly touched?: string
  readonly code?: string
}

export interface ZonesService {
  readonly url: string
  /** The received requests, as `GET /zones`. */
  readonly log: string[]
  readonly zones: Map<string, Zone>
}

/** Serves two zones. It stops with the test. */
export async function serveZones(t: ExecutionContext): Promise<ZonesService> {
  const log: string[] = []
  const named = ['a.example', 'b.example'].map((name) => ({ name, kind: 'Native', notes: `About ${name}` }))
  const zones = new Map<string, Zone>(named.map((each) => [each.name, each]))
  const show = ({ code, kind, name, notes, touched }: Zone, isWhole: boolean): object => ({
    id: name,
    name,
    kind,
    twin: {},
    ...(isWhole ? { notes, soa, state: 'new', by: 'admin', touched, code } : {}),
  })
  const respond = (method: string, url: string, sent: string): readonly [status: number, body?: unknown] => {
    const { pathname, searchParams } = new URL(url, 'http://zones.example')
    const [, collection, id] = pathname.split('/')
    const wrong = [422, { error: 'No.' }] as const
    if (method === 'OPTIONS' || method === 'HEAD') return [405, { error: 'No.' }]
    if (collection === 'version') return [200, { number: '4.7.3', token: 'token-of-the-service\n' }]
    if (collection === 'imports' && method === 'GET')
      return [200, searchParams.get('new') === 'true' ? ['a'] : ['a', 'b']]
    if (collection === 'brokens' && id === undefined) return [503, { error: 'Later.' }]
    if (collection !== 'zones') return [404, { error: 'None.' }]
    if (method === 'POST') {
      const { kind, name, notes } = JSON.parse(sent || '{}') as Partial<Zone>
      if (typeof name !== 'string' || kind !== 'Native' || typeof notes !== 'string') return wrong
      if (zones.has(name)) return [409, { error: `${name} exists.` }]
      const created = { name, kind, notes, touched: new Date().toISOString(), code: `c${log.length}` }
      zones.set(name, created)
      // The response does not show all that a read shows.
      return [201, { ...show(created, true), notes: undefined }]
    }
    const found = zones.get(decodeURIComponent(id ?? ''))
    const shown = searchParams.has('owner') ? [] : [...zones.values()]
    if (id === undefined) return [200, shown.map((each) => show(each, false))]
    if (!found) return [404, { error: 'None.', reason: null, reference: `request ${log.length}` }]
    if (method === 'DELETE') zones.delete(found.name)
    return method === 'DELETE' ? [204] : [200, show(found, true)]
  }
  const server = createServer(({ headers, method = '', url = '' }, response) => {
    response.req.setEncoding('utf8').on('error', () => undefined)
    const answer = async (): Promise<void> => {
      const chunks: unknown[] = await response.req.toArray()
      log.push(`${method} ${url}`)
      const [status, reply] = headers['x-key'] === '' ? [403] : respond(method, url, chunks.join(''))
      const isText = status >= 400 && headers.accept !== 'application/json'
      const type = isText ? 'text/plain' : 'application/json'
      response.writeHead(status, reply === undefined ? {} : { 'content-type': type })
      response.end(reply === undefined || method === 'HEAD' ? undefined : isText ? 'No.' : JSON.stringify(reply))
    }
    answer().catch(() => response.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"No."}'))
  })
  return { url: await listenUntilEnd(t, server), log, zones }
}
