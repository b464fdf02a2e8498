/** Sends credentials of every kind that are refused, and an accepted one in another spelling. */
import { requiredSchemes } from '../../pull/place-token.js'
import { withQuery } from '../listing-queries.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import type { Credential, Probe } from '../probe.js'
import type { SpecPath } from '../spec-places.js'
import { headerCursor, responseCursor, responsePath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends credentials to every secured operation that is safe or permitted. */
export const credentials: ProbeKind = (context) =>
  context.operations
    .filter(({ isSafe, operation }) => operation.secured && (isSafe || context.permissions.allows(operation.id)))
    .flatMap((probed) => probesOf(context, probed))

function probesOf(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { contract } = context
  const { operation } = probed
  const target = targetOf(context, probed)
  if (target === undefined) return []
  const refusal = responsePath(contract, operation, 401)
  const challenge = headerCursor(responseCursor(contract, operation, 401), 'www-authenticate')?.path ?? refusal
  const probe = (name: string, title: string, credential: Credential, tests: SpecPath): Probe => ({
    name: `${operation.id}:credential-${name}`,
    title,
    operation: operation.id,
    // A refused request changes nothing, so it may be sent again.
    steps: [{ method: operation.method, target, operation, credential, tests, isRepeatable: true }],
  })
  const schemes = requiredSchemes(operation)
  const isBearer = schemes.some(({ kind }) => kind === 'bearer')
  const fixed =
    (headers: Readonly<Record<string, string>>): Credential =>
    () => ({ headers, query: {} })
  const missing = probe('missing', 'a request without a credential is refused', fixed({}), refusal)
  if (!isBearer) {
    const unknown = context.credentialOf(operation, 'nobody')
    return [
      missing,
      probe(
        'unknown',
        'an unknown credential is refused',
        () => unknown(() => 'nobody:unknown-token-of-nobody'),
        refusal,
      ),
    ]
  }
  const bearer = (text: string): Credential => fixed({ authorization: text })
  return [
    missing,
    probe('without-token', 'a bearer credential without a token is refused', bearer('Bearer'), refusal),
    probe('malformed', 'a malformed bearer token is refused', bearer('Bearer one two'), refusal),
    probe(
      'other-scheme',
      'another scheme is refused',
      bearer(`Basic ${Buffer.from('ada:secret').toString('base64')}`),
      refusal,
    ),
    probe('unknown', 'an unknown token is refused', bearer('Bearer unknown-token-of-nobody'), challenge),
    ...(probed.isSafe
      ? [
          probe(
            'in-lower-case',
            'the name of the scheme may be in lower case',
            (tokenOf) => {
              const { headers, query } = probed.credential(tokenOf)
              const authorization = (headers['authorization'] ?? '').replace('Bearer', 'bearer')
              return { headers: { ...headers, authorization }, query }
            },
            challenge,
          ),
        ]
      : []),
  ]
}

/** Returns a target that is served with a credential, or that names a record that does not exist. */
function targetOf(context: ProbeContext, probed: ProbedOperation): string | undefined {
  const { decision, path, shortQuery } = probed
  const isItem = !['list', 'create', 'mocked'].includes(decision.role)
  // Send nothing to a mocked operation that is not safe: its effect is not known.
  if (decision.role === 'mocked' && !probed.isSafe) return undefined
  if (!isItem) return decision.role === 'create' ? undefined : withQuery(path, shortQuery)
  const [record] = probed.isSafe && probed.collection ? context.recordsOf(probed.collection) : []
  const id = record?.id ?? context.madeUpId(probed)
  return id === undefined ? undefined : context.itemTarget(probed, id)
}
