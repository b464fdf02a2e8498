/** Lists every collection: as each caller, with undocumented parameters, and with other media types than the documented ones. */
import { parameterCursor, withQuery } from '../../pull/requests.js'
import { type ProbeContext, type ProbeKind, shortTarget } from '../probe-context.js'
import { type ProbedOperation, probeOf, stepOf } from '../probe.js'
import { operationCursor, responsePath } from '../spec-places.js'

const listings = ({ operations }: ProbeContext): readonly ProbedOperation[] =>
  operations.filter(({ decision }) => decision.role === 'list')

const isAsked = ({ decision, operation }: ProbedOperation): boolean =>
  decision.role === 'list' || (decision.role === 'mocked' && operation.method === 'GET')

/** Lists without paging parameters, and asks for what is mocked. The double has a copy of the records and their order, so only the effect of an omitted cap is evidence. */
export const listingsByCaller: ProbeKind = (context) =>
  context.operations.filter(isAsked).flatMap((probed) => {
    const { contract } = context
    const { cap, collection, decision, operation, path, query } = probed
    const what = decision.role === 'mocked' ? 'response' : 'listing'
    const tests = cap && parameterCursor(contract, operation, cap)?.path
    return (operation.secured ? context.callers : [undefined]).map((caller) =>
      probeOf(
        probed,
        `${decision.role === 'mocked' ? 'get' : 'list'}${caller === undefined ? '' : `-as-${caller}`}`,
        `${caller ?? 'a request without a credential'} gets ${tests ? 'every record that it has access to' : `the ${what}`}`,
        {
          ...stepOf(probed, withQuery(path, query), tests ?? responsePath(contract, operation, 200)),
          credential: context.credentialOf(operation, caller),
          isEvidence: tests !== undefined && context.visibleTo(caller, collection).length > 1,
        },
      ),
    )
  })

/** Sends an unknown parameter, and documented ones in another case. */
export const undocumentedParameters: ProbeKind = (context) =>
  listings(context).flatMap((probed) => {
    const { operation } = probed
    const tests = operationCursor(context.contract, operation).path
    const names = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
    const paging = ['offset', 'page', 'sort'].filter((name) => !names.includes(name))
    const inOtherCase = names.filter((name) => name !== name.toUpperCase() && !names.includes(name.toUpperCase()))
    const cases = [
      ['undocumented-parameter', 'an undocumented parameter is ignored', 'undocumented-parameter=1'],
      ...paging.map((name) => [`undocumented-${name}`, `an undocumented ${name} is ignored`, `${name}=2`]),
      ...inOtherCase.map((name) => {
        const other = name.toUpperCase()
        return [`${name}-in-upper-case`, `${other} is not ${name}`, `${encodeURIComponent(other)}=1`]
      }),
    ] as const
    return cases.map(([name = '', title = '', query]) =>
      probeOf(probed, name, title, stepOf(probed, shortTarget(probed, query), tests)),
    )
  })

export const acceptHeaders: ProbeKind = (context) =>
  listings(context).flatMap((probed) => {
    const { operation } = probed
    const tests = [...responsePath(context.contract, operation, operation.successStatus), 'content']
    return ['text/html', 'application/xml', '*/*'].map((accept) => {
      const name = `accept-${accept.replace('*/*', 'anything').replace('/', '-')}`
      const step = { ...stepOf(probed, shortTarget(probed), tests), headers: { accept } }
      return probeOf(probed, name, `Accept: ${accept} gets the documented media type`, step)
    })
  })
