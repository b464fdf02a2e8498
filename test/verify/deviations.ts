/** The deviations of the Insights service: each is one switch, with the probe that must find it and the text of the spec at its line. */
import { type Answer, type Asked, errorAnswer, type Insight, type Switches } from './insights-service.js'

export interface Deviation {
  readonly name: string
  readonly switches: Switches
  /** The probe that finds it. */
  readonly probe: string
  /** A part of the line of the spec that the difference names. */
  readonly line: string
  /** The start of the assumption that it refutes. Default: none. */
  readonly refutes?: string
  /** True if `--apply` makes the double agree. Default false. */
  readonly isApplied?: boolean
}

type Change = NonNullable<Switches['change']>

/** Changes errors only. */
const toError =
  (change: (answer: Answer, error: Record<string, unknown>) => void): Change =>
  (answer) => {
    if (answer.status >= 400) change(answer, answer.body as Record<string, unknown>)
  }

/** Changes the status, and the `error` of an error to the same number. */
const withStatus =
  (from: number, to: number): Change =>
  (answer, asked) => {
    if (answer.status !== from) return
    answer.status = to
    toError((_, error) => void (error['error'] = to))(answer, asked)
  }

/** Changes listings only. */
export const listing =
  (change: (records: Record<string, unknown>[], answer: Answer, asked: Asked) => void): Change =>
  (answer, asked) => {
    if (Array.isArray(answer.body)) change(answer.body as Record<string, unknown>[], answer, asked)
  }

type Found = Omit<Deviation, 'line' | 'refutes'>

const by = (name: string, probe: string, switches: Switches): Found => ({ name, probe, switches })
/** A deviation that `--apply` accepts. */
const applied = (...words: Parameters<typeof by>): Found => ({ ...by(...words), isApplied: true })

const listOf = (insights: readonly Insight[]): Answer => {
  const body = insights.map(({ access: _access, ...insight }) => insight)
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

const bounds = 'The document gives no bounds'
const numbers = 'The document does not list the error numbers'
const gone = 'The document gives no status. The double sends 404'

/** Deviations by the line of the spec that they name, and the assumption that they refute. */
const found: Readonly<Record<string, readonly Found[]>> = {
  'Unauthorized: | The document does not give the response to a missing': [
    by('a missing credential gets 403', 'listInsights:credential-missing', { change: withStatus(401, 403) }),
    by('a 401 has no challenge', 'listInsights:credential-missing', {
      change: ({ headers }) => void delete headers['www-authenticate'],
    }),
    by('the challenge is Basic', 'listInsights:credential-missing', {
      change: ({ headers }) => {
        if (headers['www-authenticate'] !== undefined) headers['www-authenticate'] = 'Basic realm="x"'
      },
    }),
    by('a token is not needed', 'listInsights:credential-missing', {
      instead: ({ headers, insights, method, path }) =>
        headers.authorization === undefined && path === '/insights' && method === 'GET' ? listOf(insights) : undefined,
    }),
  ],
  [`type: integer | ${bounds}`]: [
    by('a bad request gets 422', 'listInsights:limit-not-a-number', { change: withStatus(400, 422) }),
    by('limit=abc gets 500', 'listInsights:limit-not-a-number', {
      instead: ({ query }) => (query.get('limit') === 'abc' ? errorAnswer(500, 'Oops') : undefined),
    }),
    by('numbers may have other spellings', 'listInsights:limit-spelling-4', { lenientNumbers: true }),
    by('limit may be repeated', 'listInsights:limit-repeated', { repeatedLimit: true }),
    applied('limit may be empty', 'listInsights:limit-empty', { emptyLimit: true }),
  ],
  'paths:': [
    by('an unknown path gets 400', 'service:unknown-path', {
      change: (answer, { path }) => {
        if (path.startsWith('/no-such')) answer.status = 400
      },
    }),
    by('a method that is not allowed gets 404', 'service:method-GET-not-allowed', { change: withStatus(405, 404) }),
    by('a slash at the end is ignored', 'service:path-with-slash', {
      instead: (asked) => {
        if (asked.path.endsWith('/')) Object.assign(asked, { path: asked.path.replace(/\/$/u, '') })
      },
    }),
    by('paths are case-insensitive', 'service:path-in-upper-case', {
      instead: (asked) => {
        Object.assign(asked, { path: asked.path.toLowerCase() })
      },
    }),
  ],
  "'204': | The document says that a success response has no body": [
    applied('a delete gets 200', 'deleteInsight:removes-1', { deletedStatus: 200 }),
    applied('a delete gets 202 with a body', 'deleteInsight:removes-1', {
      change: (answer) => {
        if (answer.status === 204 && answer.headers['allow'] === undefined)
          Object.assign(answer, {
            status: 202,
            headers: { 'content-type': 'application/json' },
            body: { deleted: true },
          })
      },
    }),
  ],
  [`'404': | ${gone}`]: [
    by('a second delete gets 204', 'deleteInsight:removes-1', { secondStatus: 204 }),
    by('a second delete gets 410', 'deleteInsight:removes-1', { secondStatus: 410 }),
    by('an unknown id gets 204', 'deleteInsight:unknown-id', { unknownStatus: 204 }),
    by('an unknown id gets 400', 'deleteInsight:unknown-id', { unknownStatus: 400 }),
    by('a foreign insight gets 403', 'deleteInsight:removes-2', { foreignStatus: 403 }),
    by('a foreign insight is deleted', 'deleteInsight:removes-2', { deletesForeign: true }),
  ],
  'InsightId: | The document gives neither the name nor the type': [
    applied('a malformed id gets 404', 'deleteInsight:malformed-id-1', { malformedIdStatus: 404 }),
  ],
  'WWW-Authenticate: | The document does not give the response to an unknown token': [
    by('the challenge for an unknown token has no error', 'listInsights:credential-unknown', {
      change: ({ headers }) => {
        if (headers['www-authenticate'] !== undefined) headers['www-authenticate'] = 'Bearer'
      },
    }),
    by('the scheme is case-sensitive', 'listInsights:credential-in-lower-case', { caseSensitiveScheme: true }),
  ],
  'content:': [
    applied('errors are problem+json', 'listInsights:limit-not-a-number', {
      change: toError(({ headers }) => void (headers['content-type'] = 'application/problem+json')),
    }),
    applied('lists have another media type', 'listInsights:list-as-ada', {
      change: listing((_, { headers }) => void (headers['content-type'] = 'application/vnd.insights+json')),
    }),
    by('JSON is in another charset', 'listInsights:list-as-ada', {
      change: listing((_, { headers }) => void (headers['content-type'] = 'application/json; charset=iso-8859-1')),
    }),
    by('a media type in Accept that is not supported gets 406', 'listInsights:accept-application-xml', {
      instead: ({ headers }) => (headers.accept === 'application/xml' ? errorAnswer(406, 'No XML.') : undefined),
    }),
    by('an error is HTML', 'listInsights:limit-not-a-number', {
      change: (answer) => {
        if (answer.status === 400)
          Object.assign(answer, { headers: { 'content-type': 'text/html' }, body: '<h1>Bad Request</h1>' })
      },
    }),
  ],
  [`error: | ${numbers}`]: [
    by('an error has another number', 'listInsights:limit-not-a-number', {
      change: toError((_, error) => void (error['error'] = 4711)),
    }),
  ],
  [`required: [error, message] | ${numbers}`]: [
    applied('an error has another shape', 'listInsights:limit-not-a-number', {
      change: toError((answer) => void (answer.body = { error: { code: answer.status, text: 'No.' } })),
    }),
  ],
  'required: [error, message]': [
    applied('an error has no message', 'listInsights:limit-not-a-number', {
      change: toError((_, error) => void delete error['message']),
    }),
  ],
  'Error:': [
    applied('an error has a further property', 'listInsights:limit-not-a-number', {
      change: toError((_, error) => void (error['docs'] = 'https://insights.example/errors')),
    }),
  ],
  [`type: integer | ${numbers}`]: [
    applied('an error number is a string', 'listInsights:limit-not-a-number', {
      change: toError(({ status }, error) => void (error['error'] = String(status))),
    }),
  ],
  'Insight:': [
    applied('an insight has a further property', 'listInsights:list-as-ada', {
      show: (insight) => ({ ...insight, score: 7 }),
    }),
    applied('the names of properties have another case', 'listInsights:list-as-ada', {
      show: ({ createdAt, ...insight }) => ({ ...insight, created_at: createdAt }),
    }),
  ],
  'required: [id, content]': [
    applied('an insight has no content', 'listInsights:list-as-ada', {
      show: ({ content, ...insight }) => (insight['id'] === 'in-1' ? insight : { ...insight, content }),
    }),
    by('the id has another name', 'listInsights:list-as-ada', {
      show: ({ id, ...insight }) => ({ ...insight, insightId: id }),
    }),
  ],
  'format: date-time': [
    applied('dates are not RFC 3339', 'listInsights:list-as-ada', {
      show: (insight) => ({ ...insight, createdAt: 'Mon, 05 Jan 2026 09:30:00 GMT' }),
    }),
  ],
  'type: string': [
    by('dates are numbers', 'listInsights:list-as-ada', {
      show: (insight) => ({ ...insight, createdAt: 1_767_605_400 }),
    }),
    by('a missing title is null', 'listInsights:list-as-ada', { show: (insight) => ({ title: null, ...insight }) }),
  ],
  'source:': [
    by('a record in a short list has fewer properties', 'listInsights:limit-is-2', {
      change: listing((records, answer, { query }) => {
        if (query.get('limit') === '2') answer.body = records.map(({ source: _source, ...rest }) => rest)
      }),
    }),
  ],
  'delete: | The document does not say what happens to an insight that several': [
    by('a delete affects only its caller', 'deleteInsight:removes-1', { deletesForCallerOnly: true }),
  ],
  [`description: Deletes a single insight | ${gone}`]: [
    by('a delete deletes nothing', 'deleteInsight:removes-1', { keepsDeleted: true }),
  ],
  [`minimum: 1 | ${bounds}`]: [
    applied('limit=0 is accepted', 'listInsights:limit-below-minimum', { minimum: 0 }),
    applied('limit=-1 is accepted', 'listInsights:limit-negative', { minimum: -5 }),
  ],
  [`format: int32 | ${bounds}`]: [
    by('limit has a maximum', 'listInsights:limit-at-maximum', { maximum: 100 }),
    applied('limit has no maximum', 'listInsights:limit-above-maximum', { maximum: Number.MAX_SAFE_INTEGER }),
  ],
  '- name: limit | The document does not say what happens if limit is omitted': [
    applied('a list without limit has 5 insights', 'listInsights:list-as-ada', { defaultLimit: 5 }),
  ],
  '- name: limit': [
    by('a list has one insight more than limit', 'listInsights:limit-is-2', {
      instead: ({ query }) => {
        if (query.get('limit') === '2') query.set('limit', '3')
      },
    }),
    by('limit is ignored', 'listInsights:limit-is-1', {
      instead: ({ query }) => {
        if (/^[1-9]\d?$/u.test(query.getAll('limit').join())) query.delete('limit')
      },
    }),
    by('limit selects the last insights', 'listInsights:limit-is-1', {
      change: listing((_, answer, { insights, query, caller = '' }) => {
        if (query.get('limit') === '1')
          Object.assign(answer, listOf(insights.filter(({ access }) => access.includes(caller)).slice(-1)))
      }),
    }),
  ],
  'schema: | The document gives no order': [
    by('limit reverses the order', 'listInsights:limit-is-2', {
      change: listing((records, _, { query }) => {
        if (query.get('limit') === '2') records.reverse()
      }),
    }),
    by('the order changes', 'listInsights:stable-order', {
      change: listing((records, _, { count }) => void records.push(...records.splice(0, count % 5))),
    }),
  ],
  'get: | The document does not say how the service handles an undocumented': [
    by('offset skips', 'listInsights:undocumented-offset', { offset: true }),
    by('an undocumented parameter is refused', 'listInsights:undocumented-parameter', { strictQuery: true }),
    by('LIMIT has the effect of limit', 'listInsights:limit-in-upper-case', {
      instead: ({ query }) => {
        const text = query.get('LIMIT')
        if (text !== null) query.set('limit', text)
      },
    }),
  ],
  'BadRequest: | The document says that GET and DELETE have no request body': [
    by('a body on GET is ignored', 'listInsights:unexpected-body', { bodyOnGet: true }),
    by('a body on DELETE is ignored', 'deleteInsight:unexpected-body', { bodyOnDelete: true }),
  ],
  'x-assumption: | The document does not give the order of checks': [
    by('the credential is checked before the path', 'service:order-path-before-credential', { credentialFirst: true }),
    by('the parameters are checked before the credential', 'listInsights:order-credential-before-request', {
      parametersFirst: true,
    }),
  ],
  '/insights:': [
    by('HEAD is not allowed', 'listInsights:head', {
      instead: ({ method }) => (method === 'HEAD' ? errorAnswer(405, 'No HEAD.') : undefined),
    }),
    by('OPTIONS gets 200', 'listInsights:options', {
      change: (answer, { method }) => {
        if (method === 'OPTIONS') answer.status = 200
      },
    }),
  ],
}

export const deviations: readonly Deviation[] = Object.entries(found).flatMap(([key, all]) => {
  const [line = '', refutes] = key.split(' | ')
  return all.map((each) => ({ ...each, line, ...(refutes === undefined ? {} : { refutes }) }))
})
