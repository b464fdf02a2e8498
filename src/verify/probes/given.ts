import { parameterNames } from '../../contract/path-template.js'
import { operationCursor } from '../../contract/spec-places.js'
import { withQuery } from '../../pull/requests.js'
import type { GivenRequest } from '../given-requests.js'
import type { ProbeContext } from '../probe-context.js'
import { type Probe, type ProbedOperation, probeOf, skippedProbe, stepOf } from '../probe.js'
import { itemSteps, notPermitted } from './records.js'

/** Creates a probe of each different request to an operation of the contract. Leaves out others. */
export function givenProbes(context: ProbeContext, requests: readonly GivenRequest[]): readonly Probe[] {
  const known = new Map<string, Probe>()
  for (const request of requests) {
    const found = findOperation(context, request)
    const key = JSON.stringify([request.method, found?.target, request.body, request.caller])
    if (found && !known.has(key)) known.set(key, probeOfRequest(context, request, found, `from-${known.size + 1}`))
  }
  return [...known.values()]
}

/**
 * Finds the operation of the longest end of a path: before it may be the path of a base URL, or of a sandbox.
 * @returns With the target from the base URL, without credentials; and the id of the record that the path names, or else its last parameter.
 */
function findOperation({ all }: ProbeContext, { method, url }: GivenRequest) {
  const [, path = '', query = ''] = /^(?:[a-z][\w+.-]*:\/\/)?[^/?#]*([^?#]*)\??([^#]*)/iu.exec(url) ?? []
  const sameMethod = all.filter(({ operation }) => operation.method === (method === 'HEAD' ? 'GET' : method))
  const inOrder = sameMethod.toSorted((one, other) => parametersOf(one).length - parametersOf(other).length)
  for (let from = path.indexOf('/'); from !== -1; from = path.indexOf('/', from + 1))
    for (const probed of inOrder) {
      const [target, ...values] = patternOf(probed).exec(path.slice(from)) ?? []
      if (target === undefined) continue
      const { credentialPlaces, parameters } = probed.operation
      const secrets = [...credentialPlaces, ...parameters.filter(({ isSecret }) => isSecret)].map(({ name }) => name)
      const isShown = (pair: string): boolean => !secrets.some((name) => new URLSearchParams(pair).has(name))
      const at = parametersOf(probed).indexOf(probed.collection?.model.parameter?.name ?? '')
      // No request may have a space or an unpaired surrogate.
      const whole = Buffer.from(withQuery(target, ...query.split('&').filter(isShown))).toString()
      return { probed, target: whole.replaceAll(/[^!-~]/gu, encodeURIComponent), id: values.at(at) }
    }
  return undefined
}

const parametersOf = ({ operation }: ProbedOperation): readonly string[] => parameterNames(operation.path)

const patternOf = ({ operation }: ProbedOperation): RegExp => {
  const source = operation.path.replaceAll(/\{[^{}]*\}|[$()*+.?[\\\]^|]/gu, (part) =>
    part.startsWith('{') ? '([^/]+)' : `\\${part}`,
  )
  return new RegExp(`^${source}$`, 'u')
}

function probeOfRequest(
  context: ProbeContext,
  { body, caller, headers, isCut, method }: GivenRequest,
  { id, probed, target }: NonNullable<ReturnType<typeof findOperation>>,
  name: string,
): Probe {
  const { callers, contract, permissions } = context
  const { decision, isPermitted, isSafe, operation } = probed
  const isCreation = decision.role === 'create'
  const isNamed = permissions.get(operation.id)?.some((each) => encodeURIComponent(each) === id)
  const [removal] = isCreation ? itemSteps(context, probed, 'remove') : []
  const reasons = [
    !isPermitted && notPermitted,
    !isSafe && !isCreation && id !== undefined && !isNamed && `only --may ${operation.id}=<id> permits it for its id`,
    isCreation && !removal?.target.startsWith(probed.path) && 'what it creates could not be removed',
    isCut && 'the request is not known as a whole',
  ]
  const reason = reasons.find((each) => each !== false)
  if (reason !== undefined) return skippedProbe(probed, name, reason)
  const documented = operation.parameters.filter((each) => each.in === 'header' && !each.isSecret)
  const kept = new Set(['accept', 'content-type', ...documented.map((each) => each.name.toLowerCase())])
  const isKept = ([field, value]: readonly [string, string]): boolean => kept.has(field) && /^[\t -~]*$/u.test(value)
  const as = caller === null || callers.includes(caller ?? '') ? (caller ?? undefined) : callers[0]
  // The request may be below another parent.
  const removedAt = removal?.target.replace(probed.path, () => target.split('?')[0] ?? '')
  return probeOf(probed, name, {
    ...stepOf(probed, target, operationCursor(contract, operation).path),
    method,
    credential: context.credentialOf(operation, as),
    headers: Object.fromEntries(Object.entries(headers).filter(isKept)),
    ...(body === undefined ? {} : { body }),
    ...(removal && removedAt !== undefined
      ? { isCreation, knownIds: context.knownIds(probed), removal: { ...removal, target: removedAt } }
      : {}),
    isEvidence: false,
  })
}
