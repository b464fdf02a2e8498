/** Runs `run --vary` with a client as the suite. */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import type { ExecutionContext } from 'ava'

import { installPackages } from '../bench/compared-servers.js'
import { runProcess } from '../helpers/cli.js'
import { packageFolder, writeTemporary } from '../helpers/files.js'
import { writeContract } from '../helpers/plants-spec.js'
import { body, inPath, integer, listOf, object, parameter, ref, text, time } from '../resources/plants-contract.js'
import { type Client, shared } from './clients.js'
import type { InstalledClient } from './installed-clients.js'

const [error, order, ledger] = [body(ref('Error')), body(ref('Order')), body(ref('Ledger'))]
const parameters = [inPath('id')]
const limit = [parameter('limit', { ...integer, minimum: 1 })]
const requestBody = { ...order, required: true }
const headers = { 'Retry-After': { required: true, schema: text, example: '120' } }
const get = (operationId: string, responses: object, more: object = {}) => ({
  get: { operationId, responses, ...more },
})

const paths = {
  '/orders': get('listOrders', { 200: body(listOf(ref('Order'))) }, { parameters: limit }),
  '/orders/{id}': {
    parameters,
    ...get('getOrder', { 200: order, 404: error }),
    put: { operationId: 'replaceOrder', requestBody, responses: { 200: order, 404: error } },
  },
  '/secret': get('readSecret', { 200: body({ type: 'object' }), 401: error }, { security: [{ token: [] }] }),
  '/ledgers': get('listLedgers', { 200: body(listOf(ref('Ledger'))) }),
  '/ledgers/{id}': { parameters, ...get('getLedger', { 200: ledger, 404: error }) },
  '/load': get('readLoad', { 200: { ...body(object({ load: integer })), headers } }),
}
const properties = {
  id: text,
  customer: text,
  placedAt: time,
  sentAt: { type: ['string', 'null'] },
  note: text,
  count: integer,
  state: { ...text, 'x-extensible-enum': ['open', 'sent'] },
  path: text,
}
const components = {
  securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  schemas: {
    Error: object({ error: integer, message: text }),
    Ledger: object({ id: text, sequence: integer }, 'id'),
    Order: object(properties, 'id', 'customer', 'placedAt'),
  },
}
const times = ['2026-01-05T09:30:00Z', '2026-01-06T15:00:00Z', '2026-01-07T01:00:00Z', '2026-01-08T23:30:00Z']
const same = { customer: 'Ada', note: 'soon', state: 'open', path: 'one/two' }
const orders = times.map((placedAt, index) => {
  return { id: `o${index + 1}`, ...same, placedAt, sentAt: placedAt, count: index + 1 }
})
const records = { $callers: { ada: { token: 'ada-token' } }, orders }

export interface VaryRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The units of the findings and notes, as `again` shows them. */
  readonly found: readonly string[]
}

/** @param words - Flags of `run`. */
export async function varyClient(
  t: ExecutionContext,
  { isExtra, language = 'node', script }: Pick<Client, 'isExtra' | 'script'> & Partial<Client>,
  words: readonly string[] = [],
): Promise<VaryRun> {
  const name = { go: 'client.go', node: 'client.mjs', python: 'client.py' }[language]
  const file = await writeTemporary(t, name, language === 'node' ? shared + script : script)
  // A program is compiled once, not in each run.
  const program = join(dirname(file), 'client')
  if (language === 'go') await promisify(execFile)('go', ['build', '-o', program, file])
  const command = { go: [program], node: [process.execPath, file], python: ['python3', file] }[language]
  return varyCommand(t, [isExtra ? '--vary=all' : '--vary', ...words], command)
}

/** Installs the packages of a client next to its script. */
export async function varyInstalledClient(t: ExecutionContext, client: InstalledClient): Promise<VaryRun> {
  const file = await writeTemporary(t, 'client.mjs', shared + client.script)
  t.true(await installPackages(dirname(file), client.packages))
  return varyCommand(t, ['--vary=all'], [process.execPath, file])
}

/** Runs `run` with these flags and a command. */
export async function varyCommand(t: ExecutionContext, words: readonly string[], command: readonly string[]) {
  const spec = await writeContract(t, paths, { components })
  const fixture = await writeTemporary(t, 'fixture.json', records)
  const files = { PACKAGE: join(packageFolder, 'bundle', 'index.js'), CONTRACT: spec }
  const variables = { ...files, RECORDS: JSON.stringify(records) }
  const all = ['run', spec, '--fixture', fixture, ...words, '--', ...command]
  const { code, stderr, stdout } = await runProcess(t, all, { env: variables })
  const found = [...stdout.matchAll(/^ {2}again .*$/gmu)].map(([line]) =>
    [...line.matchAll(/--vary-only '([^']+)'/gu)].map(([, unit]) => unit).join(' + '),
  )
  return { code, stdout, stderr, found }
}
