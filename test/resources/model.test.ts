import type { ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import fc from 'fast-check'

import { isDateTime } from '../helpers/date-time.js'
import type { Facts, Operation } from './model/contracts.js'
import { documentOf, facts } from './model/contracts.js'
import type { ModelRequest, ModelResponse } from './model/model.js'
import { agrees, expectedRole, Model } from './model/model.js'
import { fixtures, requests } from './model/sequences.js'
import type { TestService } from './plants.js'
import { now, serviceOf } from './plants.js'

/** How many contracts, each with a sequence of requests. `MODEL_RUNS=2000` is the long form. */
const runs = Number(process.env['MODEL_RUNS'] ?? 50)
const seed = process.env['MODEL_SEED']

const statuses = { unknown_record: 404, id_exists: 409, id_mismatch: 400, invalid_record: 400, no_more_ids: 500 }

/** Validates success responses without any code of the double. */
function validators(document: unknown): (operation: Operation, status: number) => ValidateFunction | undefined {
  const ajv = new Ajv2020({ strict: false })
  ajv.addFormat('date-time', isDateTime)
  // OpenAPI: what is required and writeOnly is required in requests alone, and is not sent.
  const text = JSON.stringify(document, (_key, value: unknown) => {
    const { properties, required } = (value ?? {}) as {
      properties?: Record<string, { writeOnly?: boolean }>
      required?: unknown
    }
    if (!properties || !Array.isArray(required)) return value
    const sent = Object.entries(properties).filter(([, property]) => property.writeOnly !== true)
    const names = new Set(sent.map(([name]) => name))
    return {
      ...(value as object),
      properties: Object.fromEntries(sent),
      required: required.filter((name) => names.has(String(name))),
    }
  })
  ajv.addSchema(JSON.parse(text) as object, 'contract')
  return (operation, status) => {
    const path = operation === 'list' || operation === 'create' ? '/things' : itemPath(document)
    const method = { list: 'get', create: 'post', read: 'get', put: 'put', patch: 'patch', delete: 'delete' }[operation]
    const pointer = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema']
    return ajv.getSchema(`contract#/${pointer.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/')}`)
  }
}

const itemPath = (document: unknown): string =>
  Object.keys((document as { paths: object }).paths).find((path) => path.includes('{')) ?? ''

function send(service: TestService, given: Facts, { body, caller, id, operation, query }: ModelRequest): ModelResponse {
  const hasBody = ['create', 'put', 'patch'].includes(operation)
  const outcome = service.send(
    operation,
    { path: { [given.parameter]: id }, query, ...(hasBody ? { body } : {}) },
    caller,
  )
  return 'error' in outcome
    ? { status: statuses[outcome.error], body: undefined }
    : {
        status: outcome.status,
        body: outcome.body === undefined ? undefined : JSON.parse(JSON.stringify(outcome.body)),
      }
}

const scenario = facts.chain((given) =>
  fc.record({ given: fc.constant(given), records: fixtures(given), sent: requests(given, 50) }),
)

test(`the engine does what the rules say, ${runs} times`, (t) => {
  t.timeout(600_000)
  const counts = new Map<number, number>()
  let stateful = 0
  fc.assert(
    fc.property(scenario, ({ given, records, sent }) => {
      const document = documentOf(given)
      const isStateful = expectedRole(given, given.operations[0] ?? 'list') !== undefined
      const service = serviceOf(document, isStateful ? { things: records } : {})
      for (const operation of given.operations) {
        const role = expectedRole(given, operation) ?? 'mocked'
        if (service.role(operation) !== role)
          throw new Error(`${operation} is ${service.role(operation)} (${service.reason(operation)}), not ${role}`)
      }
      if (!isStateful) return
      stateful += 1
      const model = new Model(given, records, now)
      const validatorOf = validators(document)
      for (const request of sent) {
        const expected = model.send(request)
        const got = send(service, given, request)
        if (!agrees(got, expected))
          throw new Error(`${JSON.stringify(request)}\n got ${JSON.stringify(got)}\n not ${JSON.stringify(expected)}`)
        counts.set(got.status, (counts.get(got.status) ?? 0) + 1)
        if (got.body === undefined) continue
        const validate = validatorOf(request.operation, got.status)
        if (!validate?.(got.body))
          throw new Error(`${request.operation}: ${JSON.stringify(validate?.errors ?? 'no schema')}`)
      }
    }),
    { numRuns: runs, includeErrorInReport: true, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
  t.true(stateful > runs / 4)
  for (const status of [200, 201, 204, 400, 404, 409]) t.true((counts.get(status) ?? 0) > 0, `no ${status}`)
  t.log(`${stateful} stateful contracts;`, ...[...counts].map(([status, count]) => `${count} × ${status}`))
})
