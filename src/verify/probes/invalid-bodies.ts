/** Sends bodies that break the contract. */
import { objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import { isObject } from '../../documents/object.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import type { Probe, ProbeStep } from '../probe.js'
import { jsonContent, validBody } from '../request-bodies.js'
import { responsePath } from '../spec-places.js'
import { createStep, permittedCreations } from './creations.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends invalid bodies to the permitted operations that create records. A record that is created nevertheless is removed at the end of the probe. */
export const invalidBodies: ProbeKind = (context) =>
  permittedCreations(context).flatMap((probed) => invalidBodiesOf(context, probed))

function invalidBodiesOf(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { operation } = probed
  const body = validBody(context, probed)
  const probe = (name: string, title: string, steps: readonly ProbeStep[]): Probe => ({
    name: `${operation.id}:${name}`,
    title,
    operation: operation.id,
    steps,
  })
  if (!isObject(body)) return []
  const create = createStep(context, probed, body)
  const refused = responsePath(context.contract, operation, 400)
  const bad = (text: string, headers = create.headers ?? {}): ProbeStep => ({
    ...create,
    body: text,
    headers,
    tests: refused,
  })
  const schema = jsonContent(operation)?.schema
  const { properties = new Map<string, Readonly<Record<string, unknown>>>(), required = new Set<string>() } =
    (isObject(schema) ? objectSchema(schema) : undefined) ?? {}
  const without = (name: string): string =>
    JSON.stringify(Object.fromEntries(Object.entries(body).filter(([key]) => key !== name)))
  const wrongType = [...properties].filter(([, each]) => scalarType(each) !== undefined)
  return [
    ...[...required].slice(0, 3).map((name) => probe(`without-${name}`, `${name} is required`, [bad(without(name))])),
    ...wrongType
      .slice(0, 3)
      .map(([name]) =>
        probe(`wrong-type-of-${name}`, `${name} has the documented type`, [
          bad(JSON.stringify({ ...body, [name]: [{}] })),
        ]),
      ),
    probe('malformed-json', 'a body that is not JSON is refused', [bad('{"')]),
    probe('other-media-type', 'a body of another media type is refused', [
      bad('a=1', { 'content-type': 'application/x-unknown' }),
    ]),
    ...(operation.requestBody?.required
      ? [probe('without-body', 'a body is required', [{ ...withoutBody(create), tests: refused }])]
      : []),
  ]
}

function withoutBody({ body: _body, headers: _headers, ...step }: ProbeStep): ProbeStep {
  return step
}
