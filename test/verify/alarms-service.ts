/** A service that shows its records in another order each time, and answers a create with an id that only the parameter names. */
import { createServer } from 'node:http'

import type { ExecutionContext } from 'ava'

import { listenUntilEnd } from '../helpers/port.js'
import { body, inPath, type Json, listOf, object, ref, text } from '../resources/plants-contract.js'

const answers = (schema?: Json): object => ({
  responses: { 200: schema ? body(schema) : { description: 'Done.' }, 404: body(object({ message: text })) },
})
const alarm = ref('Alarm')

export const alarmsContract = {
  openapi: '3.1.0',
  info: { title: 'Alarms', version: '1.0.0' },
  paths: {
    '/alarms': {
      get: { operationId: 'listAlarms', ...answers(listOf(alarm)) },
      post: {
        operationId: 'createAlarm',
        requestBody: { required: true, ...body(object({ comment: text })) },
        ...answers(object({ alarmID: text })),
      },
    },
    '/alarms/{alarmID}': {
      parameters: [inPath('alarmID')],
      get: { operationId: 'readAlarm', ...answers(alarm) },
      delete: { operationId: 'deleteAlarm', ...answers() },
    },
  },
  components: { schemas: { Alarm: object({ id: text, comment: text }, 'id') } },
}

/** Serves two alarms. @param reuses - True if a creation answers with the first. @returns The URL, and the received requests as `GET /alarms`. */
export async function serveAlarms(t: ExecutionContext, reuses = false) {
  const log: string[] = []
  const alarms = new Map(['one', 'two'].map((id) => [id, `About ${id}`]))
  let reads = 0
  const respond = (method: string, url: string, sent: string): readonly [status: number, body?: unknown] => {
    const [, , id] = (url.split('?')[0] ?? '').split('/')
    if (method === 'POST' && reuses) return [200, { alarmID: 'one' }]
    if (method === 'POST') {
      const alarmID = `new-${log.length}`
      alarms.set(alarmID, String((JSON.parse(sent) as { readonly comment?: string }).comment))
      return [200, { alarmID }]
    }
    const shown = Array.from(alarms, ([each, comment]) => ({ id: each, comment }))
    // The reads of the state, which have no query, have the same order by chance.
    const isOther = url.includes('?') && (reads += 1) % 2 === 0
    if (id === undefined) return [200, isOther ? shown.toReversed() : shown]
    const found = shown.find((each) => each.id === id)
    if (!found) return [404, { message: 'None.' }]
    if (method === 'DELETE') alarms.delete(found.id)
    return method === 'DELETE' ? [200] : [200, found]
  }
  const server = createServer(({ method = '', url = '' }, response) => {
    const answer = async (): Promise<void> => {
      const chunks: unknown[] = await response.req.setEncoding('utf8').toArray()
      log.push(`${method} ${url}`)
      const [status, reply] = respond(method, url, chunks.join(''))
      response.writeHead(status, reply === undefined ? {} : { 'content-type': 'application/json' })
      response.end(reply === undefined ? undefined : JSON.stringify(reply))
    }
    answer().catch(() => response.writeHead(400).end())
  })
  return { url: await listenUntilEnd(t, server), log }
}
