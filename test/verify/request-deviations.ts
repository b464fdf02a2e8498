/** Deviations in the handling of requests: access, bounds, paging, queries, the order of checks, methods and paths. */
import type { Deviation } from './deviation.js'
import { listing } from './deviation.js'
import { errorAnswer } from './insights-service.js'

/** These deviations. */
export const requestDeviations: readonly Deviation[] = [
  // Access
  {
    name: 'a foreign insight is deleted',
    switches: { deletesForeign: true },
    needsDelete: true,
    probe: 'deleteInsight:removes-2',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'a delete affects only its caller',
    switches: { deletesForCallerOnly: true },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: 'delete:',
    refutes: 'The document does not say what happens to an insight that several',
  },
  {
    name: 'a delete deletes nothing',
    switches: { keepsDeleted: true },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: 'description: Deletes a single insight',
    refutes: 'The document gives no status. The double sends 404',
  },
  // Bounds
  {
    name: 'limit=0 is accepted',
    switches: { minimum: 0 },
    probe: 'listInsights:limit-below-minimum',
    line: 'minimum: 1',
    refutes: 'The document gives no bounds',
    isApplied: true,
  },
  {
    name: 'limit=-1 is accepted',
    switches: { minimum: -5 },
    probe: 'listInsights:limit-negative',
    line: 'minimum: 1',
    refutes: 'The document gives no bounds',
    isApplied: true,
  },
  {
    name: 'limit has a maximum',
    switches: { maximum: 100 },
    probe: 'listInsights:limit-at-maximum',
    line: 'format: int32',
    refutes: 'The document gives no bounds',
    isApplied: true,
  },
  {
    name: 'limit has no maximum',
    switches: { maximum: Number.MAX_SAFE_INTEGER },
    probe: 'listInsights:limit-above-maximum',
    line: 'format: int32',
    refutes: 'The document gives no bounds',
    isApplied: true,
  },
  {
    name: 'numbers may have other spellings',
    switches: { lenientNumbers: true },
    probe: 'listInsights:limit-spelling-4',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
  },
  {
    name: 'limit may be repeated',
    switches: { repeatedLimit: true },
    probe: 'listInsights:limit-repeated',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
  },
  {
    name: 'limit may be empty',
    switches: { emptyLimit: true },
    probe: 'listInsights:limit-empty',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
    isApplied: true,
  },
  // Cap, paging, order
  {
    name: 'a list without limit has 5 insights',
    switches: { defaultLimit: 5 },
    probe: 'listInsights:list-as-ada',
    line: '- name: limit',
    refutes: 'The document does not say what happens if limit is omitted',
    isApplied: true,
  },
  {
    name: 'a list has one insight more than limit',
    switches: {
      instead: ({ query }) => {
        if (query.get('limit') === '2') query.set('limit', '3')
        return undefined
      },
    },
    probe: 'listInsights:limit-is-2',
    line: '- name: limit',
  },
  {
    name: 'limit is ignored',
    switches: {
      instead: ({ query }) => {
        if (/^[1-9]\d?$/u.test(query.getAll('limit').join())) query.delete('limit')
        return undefined
      },
    },
    probe: 'listInsights:limit-is-1',
    line: '- name: limit',
  },
  {
    name: 'limit selects the last insights',
    switches: {
      change: listing((_, answer, { insights, query, caller = '' }) => {
        if (query.get('limit') === '1')
          answer.body = insights
            .filter(({ access }) => access.includes(caller))
            .slice(-1)
            .map(({ access: _access, ...insight }) => insight)
      }),
    },
    probe: 'listInsights:limit-is-1',
    line: '- name: limit',
  },
  {
    name: 'limit reverses the order',
    switches: {
      change: listing((records, _, { query }) => {
        if (query.get('limit') === '2') records.reverse()
      }),
    },
    probe: 'listInsights:limit-is-2',
    line: 'schema:',
    refutes: 'The document gives no order',
  },
  {
    name: 'the order changes',
    switches: {
      change: listing((records, _, { count }) => {
        records.push(...records.splice(0, count % 5))
      }),
    },
    probe: 'listInsights:stable-order',
    line: 'schema:',
    refutes: 'The document gives no order',
  },
  {
    name: 'offset skips',
    switches: { offset: true },
    probe: 'listInsights:undocumented-offset',
    line: 'get:',
    refutes: 'The document does not say how the service handles an undocumented',
  },
  // Query and request
  {
    name: 'an undocumented parameter is refused',
    switches: { strictQuery: true },
    probe: 'listInsights:undocumented-parameter',
    line: 'get:',
    refutes: 'The document does not say how the service handles an undocumented',
  },
  {
    name: 'LIMIT has the effect of limit',
    switches: {
      instead: ({ query }) => {
        const text = query.get('LIMIT')
        if (text !== null) query.set('limit', text)
        return undefined
      },
    },
    probe: 'listInsights:limit-in-upper-case',
    line: 'get:',
    refutes: 'The document does not say how the service handles an undocumented',
  },
  {
    name: 'a body on GET is ignored',
    switches: { bodyOnGet: true },
    probe: 'listInsights:unexpected-body',
    line: 'BadRequest:',
    refutes: 'The document says that GET and DELETE have no request body',
  },
  {
    name: 'a body on DELETE is ignored',
    switches: { bodyOnDelete: true },
    needsDelete: true,
    probe: 'deleteInsight:unexpected-body',
    line: 'BadRequest:',
    refutes: 'The document says that GET and DELETE have no request body',
  },
  // Order of checks
  {
    name: 'the credential is checked before the path',
    switches: { credentialFirst: true },
    probe: 'service:order-path-before-credential',
    line: 'x-assumption:',
    refutes: 'The document does not give the order of checks',
  },
  {
    name: 'the parameters are checked before the credential',
    switches: { parametersFirst: true },
    probe: 'listInsights:order-credential-before-request',
    line: 'x-assumption:',
    refutes: 'The document does not give the order of checks',
  },
  // Methods and paths
  {
    name: 'HEAD is not allowed',
    switches: { instead: ({ method }) => (method === 'HEAD' ? errorAnswer(405, 'No HEAD.') : undefined) },
    probe: 'listInsights:head',
    line: '/insights:',
  },
  {
    name: 'OPTIONS gets 200',
    switches: {
      change: (answer, { method }) => {
        if (method === 'OPTIONS') answer.status = 200
      },
    },
    probe: 'listInsights:options',
    line: '/insights:',
  },
  {
    name: 'a slash at the end is ignored',
    switches: {
      instead: (asked) => {
        if (asked.path.endsWith('/')) Object.assign(asked, { path: asked.path.replace(/\/$/u, '') })
        return undefined
      },
    },
    probe: 'service:path-with-slash',
    line: 'paths:',
  },
  {
    name: 'paths are case-insensitive',
    switches: {
      instead: (asked) => {
        Object.assign(asked, { path: asked.path.toLowerCase() })
        return undefined
      },
    },
    probe: 'service:path-in-upper-case',
    line: 'paths:',
  },
]
