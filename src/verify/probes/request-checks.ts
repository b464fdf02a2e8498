/** Probes of what is checked before a request has an effect: its credential, path and method, and the order of these checks. */
import { headerCursor, responseCursor, responsePath } from '../../contract/spec-places.js'
import { objectOf } from '../../documents/object.js'
import { noCredential, requiredSchemes, withQuery } from '../../pull/requests.js'
import { type ProbeContext, type ProbeKind, shortTarget } from '../probe-context.js'
import { type Credential, type Probe, type ProbedOperation, probeOf, type ProbeStep, stepOf } from '../probe.js'

export const credentials: ProbeKind = (probed, context) => {
  const { contract } = context
  const { isPermitted, isSafe, operation } = probed
  const target = targetOf(context, probed)
  if (!operation.secured && isSafe && target !== undefined && context.fixedHeaders.length > 0) {
    // The contract names no credential, but the service may need one.
    const headers = Object.fromEntries(context.fixedHeaders.map((name) => [name, '']))
    return [
      probeOf(probed, 'without-headers', {
        ...stepOf(probed, target, responsePath(contract, operation, 401)),
        headers,
      }),
    ]
  }
  if (!operation.secured || !isPermitted || target === undefined) return []
  const refusal = responsePath(contract, operation, 401)
  const challenge = headerCursor(responseCursor(contract, operation, 401), 'www-authenticate')?.path ?? refusal
  const probe = (name: string, credential: Credential, tests = refusal): Probe =>
    // A refused request changes nothing, so it may be sent again.
    probeOf(probed, `credential-${name}`, { ...stepOf(probed, target, tests), credential, isRepeatable: true })
  const missing = probe('missing', () => noCredential)
  if (!requiredSchemes(operation).some(({ kind }) => kind === 'bearer')) {
    const unknown = context.credentialOf(operation, 'nobody')(() => 'nobody:unknown-token-of-nobody')
    return [missing, probe('unknown', () => unknown)]
  }
  const refused = (name: string, authorization: string, tests = refusal): Probe =>
    probe(name, () => ({ headers: { authorization }, query: {} }), tests)
  const inLowerCase: Credential = (tokenOf) => {
    const { headers, query } = probed.credential(tokenOf)
    const authorization = (headers['authorization'] ?? '').replace('Bearer', 'bearer')
    return { headers: { ...headers, authorization }, query }
  }
  return [
    missing,
    refused('without-token', 'Bearer'),
    refused('malformed', 'Bearer one two'),
    refused('other-scheme', `Basic ${Buffer.from('ada:secret').toString('base64')}`),
    refused('unknown', 'Bearer unknown-token-of-nobody', challenge),
    ...(isSafe ? [probe('in-lower-case', inLowerCase, challenge)] : []),
  ]
}

/** Returns a target that is served with a credential, or that names a record that does not exist. */
function targetOf(context: ProbeContext, probed: ProbedOperation): string | undefined {
  const { collection, decision, isSafe } = probed
  if (decision.role === 'list' || (decision.role === 'mocked' && isSafe)) return shortTarget(probed)
  // Send nothing to a mocked operation that is not safe: its effect is not known.
  if (decision.role === 'mocked' || decision.role === 'create') return undefined
  const [record] = isSafe ? context.recordsOf(collection) : []
  const id = record?.id ?? context.madeUpId(probed)
  return id === undefined ? undefined : context.itemTarget(probed, id)
}

type Request = Pick<ProbeStep, 'headers' | 'method' | 'target' | 'probed'>

const unknownPath: Request = { method: 'GET', target: '/no-such-path-of-the-contract' }

/** Sends requests with paths and methods that the contract does not have, and HEAD and OPTIONS requests. */
export function pathsAndMethods(context: ProbeContext): readonly Probe[] {
  const { callers, operations } = context
  // Some contracts have another scheme where nothing is listed.
  const any = operations.find(({ decision }) => decision.role === 'list') ?? operations[0]
  if (!any) return []
  const probe = (name: string, request: Request, probed?: ProbedOperation): Probe => {
    const credential = context.credentialOf((probed ?? any).operation, callers[0])
    const tests = ['paths', ...(probed ? [probed.operation.path] : [])]
    return probeOf(probed, name, { ...request, credential, tests })
  }
  const reads = operations.filter(
    ({ decision, operation }) => operation.method === 'GET' && (decision.role === 'list' || decision.role === 'mocked'),
  )
  const get = (target: string): Request => ({ method: 'GET', target })
  const fromBrowser = (target: string): Request => ({ ...get(target), headers: { origin: 'https://verify.example' } })
  const notAllowed = methodNotAllowed(context)
  const undocumented = ['GET', 'HEAD'].flatMap((method) =>
    notAllowed ? [probe(`method-${method}-not-allowed`, { ...notAllowed, method })] : [],
  )
  const [{ path, query } = { path: '', query: '' }] = reads
  const withSlash = withQuery(`${path.replace(/\/$/u, '')}/`, query)
  const inUpperCase = path.toUpperCase()
  const upper = get(withQuery(inUpperCase, query))
  return [
    probe('unknown-path', unknownPath),
    ...undocumented,
    ...(reads.length > 0 ? [probe('path-with-slash', get(withSlash))] : []),
    ...(any.isSafe ? [probe('other-origin', fromBrowser(shortTarget(any)))] : []),
    ...(inUpperCase === path ? [] : [probe('path-in-upper-case', upper)]),
    ...reads.flatMap((probed) => {
      const head = { method: 'HEAD', target: shortTarget(probed), probed }
      return [probe('head', head, probed), probe('options', { method: 'OPTIONS', target: probed.path }, probed)]
    }),
  ]
}

/** Sends requests with two errors: the first check reports its error. They test the root of the spec, which states the order of checks. */
export function orderOfChecks(context: ProbeContext): readonly Probe[] {
  const secured = context.operations.filter(({ operation }) => operation.secured)
  if (secured.length === 0) return []
  const probe = (name: string, baseline: string, request: Request): Probe => {
    const step = { ...request, credential: () => noCredential, tests: [], isRepeatable: true }
    return { ...probeOf(request.probed, `order-${name}`, step), baseline }
  }
  const notAllowed = methodNotAllowed(context)
  return [
    probe('path-before-credential', 'service:unknown-path', unknownPath),
    ...(notAllowed ? [probe('method-before-credential', 'service:method-GET-not-allowed', notAllowed)] : []),
    ...secured.flatMap((probed) => {
      const target = invalidTarget(context, probed)
      if (target === undefined) return []
      const { operation } = probed
      const request = { method: operation.method, target, probed }
      return [probe('credential-before-request', `${operation.id}:credential-missing`, request)]
    }),
  ]
}

function methodNotAllowed(context: ProbeContext): Request | undefined {
  const { operations } = context
  const hasGet = ({ operation: { path } }: ProbedOperation): boolean =>
    operations.some(({ operation }) => operation.path === path && operation.method === 'GET')
  const without = operations.find((probed) => probed.collection && !hasGet(probed))
  const id = without && context.madeUpId(without)
  return without && id !== undefined ? { method: 'GET', target: context.itemTarget(without, id) } : undefined
}

function invalidTarget(context: ProbeContext, probed: ProbedOperation): string | undefined {
  const { decision, isPermitted, operation, path } = probed
  if (!isPermitted || decision.role === 'mocked' || decision.role === 'create') return undefined
  if (decision.role !== 'list') {
    const [id] = context.malformedIds(probed)
    return id === undefined ? undefined : context.itemTarget(probed, id)
  }
  const integer = operation.parameters.find(({ in: place, schema }) => {
    return place === 'query' && objectOf(schema)['type'] === 'integer'
  })
  return integer && withQuery(path, `${encodeURIComponent(integer.name)}=abc`)
}
