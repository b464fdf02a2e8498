/** Deviations of the Insights service: each is one switch, with the probe that has to find it and the text of the spec at its line. */
import type { Answer, Asked, Switches } from './insights-service.js'
import { errorAnswer } from './insights-service.js'

/** A deviation. */
export interface Deviation {
  readonly name: string
  readonly switches: Switches
  /** Whether it needs permission to delete. */
  readonly needsDelete?: boolean
  /** The probe that finds it. */
  readonly probe: string
  /** A part of the line of the spec that the difference names. */
  readonly line: string
  /** The start of the assumption that it refutes. Default: none. */
  readonly refutes?: string
  /** Whether `--apply` makes the double agree. Default false. */
  readonly isApplied?: boolean
}

const isError = ({ status }: Answer): boolean => status >= 400
const asError = (answer: Answer): Record<string, unknown> => answer.body as Record<string, unknown>

type Change = NonNullable<Switches['change']>

const withStatus =
  (from: number, to: number): Change =>
  (answer) => {
    if (answer.status !== from) return
    answer.status = to
    if (isError(answer)) asError(answer)['error'] = to
  }

/** Changes listings only. */
const listing =
  (change: (records: Record<string, unknown>[], answer: Answer, asked: Asked) => void): Change =>
  (answer, asked) => {
    if (Array.isArray(answer.body)) change(answer.body as Record<string, unknown>[], answer, asked)
  }

/** All deviations. */
export const deviations: readonly Deviation[] = [
  // Statuses
  {
    name: 'a missing credential is 403',
    switches: { change: withStatus(401, 403) },
    probe: 'listInsights:credential-missing',
    line: 'Unauthorized:',
    refutes: 'The document does not give the response to a missing',
  },
  {
    isApplied: true,
    name: 'a bad request is 422',
    switches: { change: withStatus(400, 422) },
    probe: 'listInsights:limit-not-a-number',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
  },
  {
    name: 'an unknown path is 400',
    switches: {
      change: (answer, { path }) => {
        if (path.startsWith('/no-such')) answer.status = 400
      },
    },
    probe: 'service:unknown-path',
    line: 'paths:',
  },
  {
    name: 'a method that is not allowed is 404',
    switches: { change: withStatus(405, 404) },
    probe: 'service:method-GET-not-allowed',
    line: 'paths:',
  },
  {
    name: 'limit=abc is 500',
    switches: { instead: ({ query }) => (query.get('limit') === 'abc' ? errorAnswer(500, 'Oops') : undefined) },
    probe: 'listInsights:limit-not-a-number',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
  },
  {
    name: 'a delete is 200',
    switches: { deletedStatus: 200 },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'204':",
    refutes: 'The document says that a success response has no body',
    isApplied: true,
  },
  {
    name: 'a delete is 202 with a body',
    switches: {
      change: (answer) => {
        if (answer.status === 204 && answer.headers['allow'] === undefined)
          Object.assign(answer, {
            status: 202,
            headers: { 'content-type': 'application/json' },
            body: { deleted: true },
          })
      },
    },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'204':",
    refutes: 'The document says that a success response has no body',
    isApplied: true,
  },
  {
    name: 'a second delete is 204',
    switches: { secondStatus: 204 },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'a second delete is 410',
    switches: { secondStatus: 410 },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'an unknown id is 204',
    switches: { unknownStatus: 204 },
    needsDelete: true,
    probe: 'deleteInsight:unknown-id',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'an unknown id is 400',
    switches: { unknownStatus: 400 },
    needsDelete: true,
    probe: 'deleteInsight:unknown-id',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'a malformed id is 404',
    switches: { malformedIdStatus: 404 },
    needsDelete: true,
    probe: 'deleteInsight:malformed-id-1',
    line: 'InsightId:',
    refutes: 'The document gives neither the name nor the type',
  },
  {
    name: 'a foreign insight is 403',
    switches: { foreignStatus: 403 },
    needsDelete: true,
    probe: 'deleteInsight:removes-2',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
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
    name: 'a delete is for its caller only',
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
    line: "'204':",
    refutes: 'The document says that a success response has no body',
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
    name: 'numbers may be spelt otherwise',
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
    name: 'limit omitted is 5',
    switches: { defaultLimit: 5 },
    probe: 'listInsights:list-as-ada',
    line: '- name: limit',
    refutes: 'The document does not say what happens if limit is omitted',
    isApplied: true,
  },
  {
    name: 'limit caps one more',
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
    name: 'limit takes the last',
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
    name: 'LIMIT is limit',
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
  // Headers
  {
    name: 'there is no challenge',
    switches: {
      change: ({ headers }) => {
        delete headers['www-authenticate']
      },
    },
    probe: 'listInsights:credential-missing',
    line: 'Unauthorized:',
    refutes: 'The document does not give the response to a missing',
  },
  {
    name: 'an unknown token has no error',
    switches: {
      change: ({ headers }) => {
        if (headers['www-authenticate'] !== undefined) headers['www-authenticate'] = 'Bearer'
      },
    },
    probe: 'listInsights:credential-unknown',
    line: 'WWW-Authenticate:',
    refutes: 'The document does not give the response to an unknown token',
  },
  {
    name: 'the challenge is Basic',
    switches: {
      change: ({ headers }) => {
        if (headers['www-authenticate'] !== undefined) headers['www-authenticate'] = 'Basic realm="x"'
      },
    },
    probe: 'listInsights:credential-missing',
    line: 'Unauthorized:',
    refutes: 'The document does not give the response to a missing',
  },
  {
    name: 'the scheme is case-sensitive',
    switches: { caseSensitiveScheme: true },
    probe: 'listInsights:credential-in-lower-case',
    line: 'WWW-Authenticate:',
    refutes: 'The document does not give the response to an unknown token',
  },
  {
    name: 'a token is not needed',
    switches: {
      instead: ({ headers, insights, method, path }) =>
        headers.authorization === undefined && path === '/insights' && method === 'GET'
          ? {
              status: 200,
              headers: { 'content-type': 'application/json' },
              body: insights.map(({ access: _access, ...insight }) => insight),
            }
          : undefined,
    },
    probe: 'listInsights:credential-missing',
    line: 'Unauthorized:',
    refutes: 'The document does not give the response to a missing',
  },
  // Media types
  {
    isApplied: true,
    name: 'errors are problem+json',
    switches: {
      change: (answer) => {
        if (isError(answer)) answer.headers['content-type'] = 'application/problem+json'
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'content:',
  },
  {
    name: 'lists have a media type of their own',
    switches: {
      change: listing((_, { headers }) => {
        headers['content-type'] = 'application/vnd.insights+json'
      }),
    },
    probe: 'listInsights:list-as-ada',
    line: 'content:',
    isApplied: true,
  },
  {
    name: 'JSON is in another charset',
    switches: {
      change: listing((_, { headers }) => {
        headers['content-type'] = 'application/json; charset=iso-8859-1'
      }),
    },
    probe: 'listInsights:list-as-ada',
    line: 'content:',
  },
  {
    name: 'Accept is obeyed',
    switches: {
      instead: ({ headers }) => (headers.accept === 'application/xml' ? errorAnswer(406, 'No XML.') : undefined),
    },
    probe: 'listInsights:accept-application-xml',
    line: 'content:',
  },
  {
    name: 'an error is HTML',
    switches: {
      change: (answer) => {
        if (answer.status === 400)
          Object.assign(answer, { headers: { 'content-type': 'text/html' }, body: '<h1>Bad Request</h1>' })
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'content:',
  },
  // Error bodies
  {
    name: 'the error number is another',
    switches: {
      change: (answer) => {
        if (isError(answer)) asError(answer)['error'] = 4711
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'error:',
    refutes: 'The document does not list the error numbers',
  },
  {
    refutes: 'The document does not list the error numbers',
    isApplied: true,
    name: 'an error has another shape',
    switches: {
      change: (answer) => {
        if (isError(answer)) answer.body = { error: { code: answer.status, text: 'No.' } }
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'required: [error, message]',
  },
  {
    isApplied: true,
    name: 'an error has no message',
    switches: {
      change: (answer) => {
        if (isError(answer)) delete asError(answer)['message']
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'required: [error, message]',
  },
  {
    isApplied: true,
    name: 'an error has a further property',
    switches: {
      change: (answer) => {
        if (isError(answer)) asError(answer)['docs'] = 'https://insights.example/errors'
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'Error:',
  },
  {
    refutes: 'The document does not list the error numbers',
    isApplied: true,
    name: 'an error number is a string',
    switches: {
      change: (answer) => {
        if (isError(answer)) asError(answer)['error'] = String(answer.status)
      },
    },
    probe: 'listInsights:limit-not-a-number',
    line: 'type: integer',
  },
  // Records
  {
    name: 'an insight has a further property',
    switches: { show: (insight) => ({ ...insight, score: 7 }) },
    probe: 'listInsights:list-as-ada',
    line: 'Insight:',
    isApplied: true,
  },
  {
    name: 'an insight has no content',
    switches: { show: ({ content, ...insight }) => (insight['id'] === 'in-1' ? insight : { ...insight, content }) },
    probe: 'listInsights:list-as-ada',
    line: 'required: [id, content]',
    isApplied: true,
  },
  {
    name: 'dates are not RFC 3339',
    switches: { show: (insight) => ({ ...insight, createdAt: 'Mon, 05 Jan 2026 09:30:00 GMT' }) },
    probe: 'listInsights:list-as-ada',
    line: 'format: date-time',
    isApplied: true,
  },
  {
    name: 'dates are numbers',
    switches: { show: (insight) => ({ ...insight, createdAt: 1_767_605_400 }) },
    probe: 'listInsights:list-as-ada',
    line: 'type: string',
  },
  {
    name: 'keys have another case',
    switches: { show: ({ createdAt, ...insight }) => ({ ...insight, created_at: createdAt }) },
    probe: 'listInsights:list-as-ada',
    line: 'Insight:',
    isApplied: true,
  },
  {
    name: 'null stands for a missing title',
    switches: { show: (insight) => ({ title: null, ...insight }) },
    probe: 'listInsights:list-as-ada',
    line: 'type: string',
  },
  {
    name: 'the id has another name',
    switches: { show: ({ id, ...insight }) => ({ ...insight, insightId: id }) },
    probe: 'listInsights:list-as-ada',
    line: 'required: [id, content]',
  },
  {
    name: 'a record in a short list has fewer properties',
    switches: {
      change: listing((records, answer, { query }) => {
        if (query.get('limit') === '2') answer.body = records.map(({ source: _source, ...rest }) => rest)
      }),
    },
    probe: 'listInsights:limit-is-2',
    line: 'source:',
  },
  // Methods and paths
  {
    name: 'HEAD is not allowed',
    switches: { instead: ({ method }) => (method === 'HEAD' ? errorAnswer(405, 'No HEAD.') : undefined) },
    probe: 'listInsights:head',
    line: 'get:',
    refutes: 'The document does not say how the service handles an undocumented',
  },
  {
    name: 'OPTIONS is 200',
    switches: {
      change: (answer, { method }) => {
        if (method === 'OPTIONS') answer.status = 200
      },
    },
    probe: 'listInsights:options',
    line: 'get:',
    refutes: 'The document does not say how the service handles an undocumented',
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
    name: 'paths are not case-sensitive',
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
