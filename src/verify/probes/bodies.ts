import { objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import { isObject } from '../../documents/object.js'
import { jsonContent, type ProbeKind, shortTarget } from '../probe-context.js'
import { type Probe, type ProbedOperation, probeOf, type ProbeStep, stepOf } from '../probe.js'
import { responsePath, type SpecPath } from '../spec-places.js'
import { creationSteps } from './records.js'

/** Sends invalid bodies to the permitted operations that create records. A record that is created nevertheless is removed at the end of the probe. */
export const invalidBodies: ProbeKind = (context) =>
  creationSteps(context).flatMap(({ probed, step }) =>
    step ? invalidBodiesOf(probed, step, responsePath(context.contract, probed.operation, 400)) : [],
  )

function invalidBodiesOf(
  probed: ProbedOperation,
  { body = '{}', headers = {}, ...create }: ProbeStep,
  tests: SpecPath,
): readonly Probe[] {
  const { operation } = probed
  const probe = (name: string, title: string, request: Pick<ProbeStep, 'body' | 'headers'>): Probe =>
    probeOf(probed, name, title, { ...create, tests, ...request })
  const valid = JSON.parse(body) as Readonly<Record<string, unknown>>
  const schema = jsonContent(operation)?.schema
  const { properties = new Map<string, Readonly<Record<string, unknown>>>(), required = new Set<string>() } =
    (isObject(schema) ? objectSchema(schema) : undefined) ?? {}
  const scalars = [...properties].filter(([, each]) => scalarType(each) !== undefined)
  return [
    ...[...required].slice(0, 3).map((name) => {
      const { [name]: _value, ...others } = valid
      return probe(`without-${name}`, `${name} is required`, { headers, body: JSON.stringify(others) })
    }),
    ...scalars.slice(0, 3).map(([name]) => {
      const wrong = JSON.stringify({ ...valid, [name]: [{}] })
      return probe(`wrong-type-of-${name}`, `${name} has the documented type`, { headers, body: wrong })
    }),
    probe('malformed-json', 'a body that is not JSON is refused', { headers, body: '{"' }),
    probe('other-media-type', 'a body of another media type is refused', {
      headers: { 'content-type': 'application/x-unknown' },
      body: 'a=1',
    }),
    ...(operation.requestBody?.required ? [probe('without-body', 'a body is required', {})] : []),
  ]
}

/** Sends request bodies where the contract documents none: to listings, and to permitted operations on made-up ids. */
export const unexpectedBodies: ProbeKind = (context) =>
  context.operations
    .filter(({ decision, isPermitted, operation }) => {
      return isPermitted && operation.requestBody === undefined && decision.role !== 'mocked'
    })
    .flatMap((probed) => {
      const { decision, operation } = probed
      const id = context.madeUpId(probed)
      const target = decision.role === 'list' ? shortTarget(probed) : id && context.itemTarget(probed, id)
      if (target === undefined) return []
      return [
        probeOf(probed, 'unexpected-body', 'a request body where none is documented is refused', {
          ...stepOf(probed, target, responsePath(context.contract, operation, 400)),
          headers: { 'content-type': 'application/json' },
          body: '{"unexpected":true}',
          isRepeatable: true,
        }),
      ]
    })
