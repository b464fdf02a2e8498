/** Creates records, reads and changes them, and removes them again; and sends bodies that break the contract. */
import type { Json } from '../../contract/contract.js'
import { isObject } from '../../documents/object.js'
import type { RoleName } from '../../resources/roles/role-name.js'
import { scalarType } from '../../resources/schema/compare-schemas.js'
import { objectSchema } from '../../resources/schema/object-schema.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import { createdIdPlaceholder } from '../probe.js'
import type { Probe, ProbeStep } from '../probe.js'
import { bodyParts, jsonContent, validBody } from '../request-bodies.js'
import { wholeQuery, withQuery } from '../request-targets.js'
import { operationCursor, responsePath, responseKeyPath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends bodies to permitted operations. Each record that a probe creates is removed at its end. */
export const records: ProbeKind = (context) => [
  ...context.operations
    .filter(({ decision, operation }) => decision.role === 'create' && context.permissions.allows(operation.id))
    .flatMap((probed) => creations(context, probed)),
  ...context.operations
    .filter(({ decision, operation }) => isChange(decision.role) && context.permissions.allows(operation.id))
    .flatMap((probed) => namedChanges(context, probed)),
]

const isChange = (role: string): boolean => role === 'update' || role === 'replace'

function creations(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { operation } = probed
  const body = validBody(context, probed)
  const probe = (name: string, title: string, steps: readonly ProbeStep[], skipped?: string): Probe => ({
    name: `${operation.id}:${name}`,
    title,
    operation: operation.id,
    steps,
    skipped,
  })
  if (!isObject(body)) return [probe('creates', 'a record is created', [], 'no valid body can be made for it')]
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
    probe('creates', 'a record is created, read, changed and removed', [create, ...lifeOf(context, probed)]),
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

function createStep({ contract }: ProbeContext, probed: ProbedOperation, body: Json): ProbeStep {
  const { credential, operation, path, query } = probed
  return {
    method: operation.method,
    target: withQuery(path, query),
    operation,
    credential,
    ...bodyParts(probed, body),
    tests: responseKeyPath(contract, operation, operation.successStatus),
    isCreation: true,
  }
}

/** The requests after a creation: read, list, change, read, remove, remove again, list. */
function lifeOf(context: ProbeContext, { collection }: ProbedOperation): readonly ProbeStep[] {
  const find = (role: RoleName): ProbedOperation | undefined =>
    context.operations.find((each) => each.collection === collection && each.decision.role === role)
  const item = (probed: ProbedOperation | undefined, status?: number): readonly ProbeStep[] => {
    if (!probed || (!probed.isSafe && !context.permissions.allows(probed.operation.id))) return []
    const { operation } = probed
    const body = isChange(probed.decision.role) ? validBody(context, probed) : undefined
    if (isChange(probed.decision.role) && body === undefined) return []
    return [
      {
        method: operation.method,
        target: context
          .itemTarget(probed, createdIdPlaceholder)
          .replace(encodeURIComponent(createdIdPlaceholder), createdIdPlaceholder),
        operation,
        credential: probed.credential,
        ...bodyParts(probed, body),
        tests: responsePath(context.contract, operation, status ?? operation.successStatus),
      },
    ]
  }
  const list = find('list')
  const listing: readonly ProbeStep[] = list
    ? [
        {
          method: 'GET',
          target: withQuery(list.path, wholeQuery(context, list)),
          operation: list.operation,
          credential: list.credential,
          tests: responsePath(context.contract, list.operation, 200),
        },
      ]
    : []
  const read = item(find('read'))
  return [
    ...read,
    ...listing,
    ...item(find('update')),
    ...item(find('replace')),
    ...read,
    ...item(find('remove')),
    ...item(find('remove'), 404),
    ...listing,
  ]
}

/** Changes records that are named by `--may`. */
function namedChanges(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { operation } = probed
  const body = validBody(context, probed)
  if (body === undefined) return []
  return context.permissions.idsOf(operation.id).map((id, index) => ({
    name: `${operation.id}:changes-${index + 1}`,
    title: `${id} is changed`,
    operation: operation.id,
    steps: [
      {
        method: operation.method,
        target: context.itemTarget(probed, id),
        operation,
        credential: probed.credential,
        ...bodyParts(probed, body),
        tests: operationCursor(context.contract, operation).path,
      },
    ],
  }))
}
