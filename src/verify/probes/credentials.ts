import { noCredential, requiredSchemes } from '../../pull/requests.js'
import { type ProbeContext, type ProbeKind, shortTarget } from '../probe-context.js'
import { type Credential, type Probe, type ProbedOperation, probeOf, stepOf } from '../probe.js'
import { headerCursor, responseCursor, responsePath } from '../spec-places.js'

/** Sends credentials to every secured operation that is safe or permitted. */
export const credentials: ProbeKind = (context) =>
  context.operations
    .filter(({ isPermitted, operation }) => operation.secured && isPermitted)
    .flatMap((probed) => probesOf(context, probed))

function probesOf(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { contract } = context
  const { isSafe, operation } = probed
  const target = targetOf(context, probed)
  if (target === undefined) return []
  const refusal = responsePath(contract, operation, 401)
  const challenge = headerCursor(responseCursor(contract, operation, 401), 'www-authenticate')?.path ?? refusal
  const probe = (name: string, title: string, credential: Credential, tests = refusal): Probe =>
    // A refused request changes nothing, so it may be sent again.
    probeOf(probed, `credential-${name}`, title, { ...stepOf(probed, target, tests), credential, isRepeatable: true })
  const missing = probe('missing', 'a request without a credential is refused', () => noCredential)
  if (!requiredSchemes(operation).some(({ kind }) => kind === 'bearer')) {
    const unknown = context.credentialOf(operation, 'nobody')(() => 'nobody:unknown-token-of-nobody')
    return [missing, probe('unknown', 'an unknown credential is refused', () => unknown)]
  }
  const refused = (
    [
      ['without-token', 'a bearer credential without a token is refused', 'Bearer'],
      ['malformed', 'a malformed bearer token is refused', 'Bearer one two'],
      ['other-scheme', 'another scheme is refused', `Basic ${Buffer.from('ada:secret').toString('base64')}`],
      ['unknown', 'an unknown token is refused', 'Bearer unknown-token-of-nobody'],
    ] as const
  ).map(([name, title, authorization]) =>
    probe(name, title, () => ({ headers: { authorization }, query: {} }), name === 'unknown' ? challenge : refusal),
  )
  const inLowerCase: Credential = (tokenOf) => {
    const { headers, query } = probed.credential(tokenOf)
    const authorization = (headers['authorization'] ?? '').replace('Bearer', 'bearer')
    return { headers: { ...headers, authorization }, query }
  }
  const title = 'the name of the scheme may be in lower case'
  return [missing, ...refused, ...(isSafe ? [probe('in-lower-case', title, inLowerCase, challenge)] : [])]
}

/** Returns a target that is served with a credential, or that names a record that does not exist. */
function targetOf(context: ProbeContext, probed: ProbedOperation): string | undefined {
  const { collection, decision, isSafe } = probed
  if (decision.role === 'create') return undefined
  // Send nothing to a mocked operation that is not safe: its effect is not known.
  if (decision.role === 'mocked') return isSafe ? shortTarget(probed) : undefined
  if (decision.role === 'list') return shortTarget(probed)
  const [record] = isSafe ? context.recordsOf(collection) : []
  const id = record?.id ?? context.madeUpId(probed)
  return id === undefined ? undefined : context.itemTarget(probed, id)
}
