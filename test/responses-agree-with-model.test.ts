import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { DoubleHandle, FixtureDocument } from 'insights-double'

import { serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { exchange } from './helpers/http.js'
import { createValidator, type ResponseValidator } from './helpers/independent-validator.js'
import { documentOf, type Facts, facts, type Json } from './resources/model/contracts.js'
import { agrees, expectedRole, Model, type ModelRequest } from './resources/model/model.js'
import { type Sequence, sequences } from './resources/model/sequences.js'

/** The number of sequences. `npm run test:model` runs 2,000, with a new seed each time. */
const runs = Number(process.env['MODEL_RUNS'] ?? 50)
const seed = Number(process.env['MODEL_SEED'] ?? (runs === 50 ? 2 : Date.now() % 2 ** 31))
/** The number of sequences for each double. It is larger in the short form, because a double costs more than its requests. */
const sequencesEach = runs === 50 ? 10 : 5

/** The text that replaces the current time. */
const now = 'now'
const methods = { list: 'GET', create: 'POST', read: 'GET', put: 'PUT', patch: 'PATCH', delete: 'DELETE' }
const callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }

/** A contract and the double that serves it. */
interface Subject {
  readonly facts: Facts
  readonly double: DoubleHandle
  readonly folder: string
  readonly validate: ResponseValidator
  readonly isStateful: boolean
  /** The number of responses by status. */
  readonly counts: Map<number, number>
}

const fail = (what: string, got: unknown, expected: unknown): never => {
  throw new Error(`${what}\n got ${JSON.stringify(got)}\n not ${JSON.stringify(expected)}`)
}

/** Parses JSON. Replaces date-times with milliseconds: the double fills them in, and fixtures have none. */
const parse = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(value) ? now : value,
  ) as unknown

const fixtureOf = (subject: Subject, records: readonly Json[]): FixtureDocument => ({
  $callers: callers,
  ...(subject.isStateful ? { things: records } : {}),
})

/** Sends a request. @returns Its target, the response, and the parsed body. */
async function send(url: string, request: ModelRequest, token: string) {
  const { body, id, operation, query } = request
  const hasBody = ['create', 'put', 'patch'].includes(operation)
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const path = operation === 'list' || operation === 'create' ? '/things' : `/things/${encodeURIComponent(String(id))}`
  const target = new URL(`${url}${path}${search.size > 0 ? `?${search.toString()}` : ''}`)
  const headers = { authorization: `Bearer ${token}`, ...(hasBody ? { 'content-type': 'application/json' } : {}) }
  const sent = hasBody ? JSON.stringify(body) : undefined
  const reply = await exchange(target, methods[operation], { headers, body: sent })
  const { pathname } = target
  return { ...reply, target: pathname + target.search, value: reply.text === '' ? undefined : parse(reply.text) }
}

/** Runs a sequence against a double and the model. @throws {Error} They differ, or a response breaks the contract. */
async function run(subject: Subject, { files, steps }: Sequence, turn: number): Promise<void> {
  const { counts, double, facts: given, folder, isStateful, validate } = subject
  const names = files.map((_records, index) => `fixture-${turn}-${index}`)
  const write = (name: string, index: number): Promise<void> =>
    writeFile(join(folder, `${name}.json`), JSON.stringify(fixtureOf(subject, files[index] ?? [])))
  await Promise.all(names.map(write))
  const countOf = (records: readonly Json[]): Json => (isStateful ? { things: records.length } : {})
  const listed = (await double.fixtures()).filter(({ name }) => names.includes(name)).map((each) => ({ ...each }))
  const summaries = names.map((name, index) => ({ name, callers: 2, collections: countOf(files[index] ?? []) }))
  if (!isDeepStrictEqual(listed, summaries)) fail('GET /fixtures', listed, summaries)

  const sandboxes = await Promise.all(names.map((fixture) => double.sandbox({ fixture })))
  const seeds = files.map((records, index) => ({ fixture: names[index] ?? null, records }))
  const models = files.map((records) => new Model(given, records, now))
  try {
    for (const { isKnown, reset, sandbox: at, send: request } of steps) {
      const sandbox = sandboxes[at]
      if (!sandbox) throw new Error('no sandbox')
      if (reset !== undefined) {
        if (typeof reset === 'number') seeds[at] = { fixture: names[reset] ?? null, records: files[reset] ?? [] }
        else if (reset !== 'same') seeds[at] = { fixture: null, records: reset }
        const { fixture = null, records = [] } = seeds[at] ?? {}
        const wanted =
          typeof reset === 'number' ? names[reset] : reset === 'same' ? undefined : fixtureOf(subject, reset)
        const expected = { fixture, collections: countOf(records) }
        const got = await sandbox.reset(wanted)
        if (!isDeepStrictEqual(got, expected)) fail('reset', got, expected)
        models[at] = new Model(given, records, now)
      }
      const token = isKnown ? `${request.caller}-token` : 'unknown'
      const { headers, status, target, text, value } = await send(sandbox.url, request, token)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      if (status === 500) throw new Error(`${JSON.stringify(request)}\n got ${text}`)
      const contentType = headers['content-type']
      const wrong = validate({ method: methods[request.operation], target, status, contentType, text })
      if (wrong.length > 0) throw new Error(`${request.operation} ${status}: ${text}\n${wrong.join('; ')}`)
      if (isKnown && !isStateful) {
        if (headers['x-double'] !== 'mocked') fail(request.operation, 'stateful', 'mocked')
        continue
      }
      const expected = isKnown ? models[at]?.send(request) : { status: 401, body: undefined }
      const got = { status, body: status < 400 ? value : undefined }
      if (!expected || !agrees(got, expected)) fail(JSON.stringify(request), { ...got, text }, expected)
      const isCreated = status === 201 && request.operation === 'create'
      const id = isCreated ? (value as { readonly id: unknown }).id : undefined
      const hasItem = given.operations.some((each) => each !== 'list' && each !== 'create')
      const location =
        isCreated && hasItem ? `/sandboxes/${sandbox.name}/things/${encodeURIComponent(String(id))}` : undefined
      if (headers['location'] !== location) fail('Location', headers['location'], location)
    }
    for (const [index, sandbox] of sandboxes.entries()) {
      const { things } = parse(JSON.stringify(await sandbox.state())) as { readonly things?: unknown }
      const expected = isStateful ? models[index]?.records : undefined
      if (!isDeepStrictEqual(things, expected)) fail('the state', things, expected)
    }
  } finally {
    await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
  }
}

/** Serves a contract, and checks that its operations have the roles that the rules give them. */
async function serveContract(t: ExecutionContext, given: Facts, counts: Subject['counts']): Promise<Subject> {
  const folder = await temporaryFolder(t)
  const spec = join(await temporaryFolder(t), 'spec.json')
  await writeFile(spec, JSON.stringify(documentOf(given)))
  const double = await serve(t, { spec, fixtures: folder, fixture: { $callers: callers } })
  for (const { operation, reason = '', role } of (await double.collections()).operations) {
    const expected = expectedRole(given, operation as Facts['operations'][number]) ?? 'mocked'
    if (role !== expected) fail(`${operation}: ${reason}\n${JSON.stringify(given)}`, role, expected)
  }
  const isStateful = given.operations.some((operation) => expectedRole(given, operation) !== undefined)
  return { facts: given, double, folder, validate: createValidator(spec), isStateful, counts }
}

test(`a double responds like the model, ${runs} times (MODEL_SEED=${seed})`, async (t) => {
  const counts = new Map<number, number>()
  let turn = 0
  let stateful = 0
  const contracts = fc.sample(facts, { numRuns: Math.ceil(runs / sequencesEach), seed })
  for (const given of contracts) {
    const subject = await serveContract(t, given, counts)
    stateful += subject.isStateful ? 1 : 0
    await fc.assert(
      fc.asyncProperty(sequences(given, 50), async (sequence) => run(subject, sequence, turn++)),
      { numRuns: sequencesEach, seed, includeErrorInReport: true, endOnFailure: false },
    )
    await subject.double.stop()
  }
  t.true(stateful > contracts.length / 4)
  for (const status of [200, 201, 204, 400, 401, 404, 409]) t.true((counts.get(status) ?? 0) > 0, `no ${status}`)
  t.log(`${stateful} stateful contracts;`, ...[...counts].map(([status, count]) => `${count} × ${status}`))
})
