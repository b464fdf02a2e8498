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
const changed = (name: string, probe: string, change: Change): Found => by(name, probe, { change })
const shown = (name: string, probe: string, show: NonNullable<Switches['show']>): Found => by(name, probe, { show })
const instead = (name: string, probe: string, answer: NonNullable<Switches['instead']>): Found =>
  by(name, probe, { instead: answer })
/** A deviation that `--apply` accepts. */
const applied = (deviation: Found): Found => ({ ...deviation, isApplied: true })

const typed =
  (type: string) =>
  ({ headers }: Answer): void =>
    void (headers['content-type'] = type)
const listed = (type: string) => (_: unknown, answer: Answer) => typed(type)(answer)
const dated = (createdAt: unknown) => (insight: object) => ({ ...insight, createdAt })
const reshape = (answer: Answer): void => void (answer.body = { error: { code: answer.status, text: 'No.' } })
const addDocs = (_: Answer, error: Record<string, unknown>): void =>
  void (error['docs'] = 'https://insights.example/errors')
const spellNumber = ({ status }: Answer, error: Record<string, unknown>): void => void (error['error'] = String(status))

const listOf = (insights: readonly Insight[]): Answer => {
  const body = insights.map(({ access: _access, ...insight }) => insight)
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

const bounds = 'The document gives no bounds'
const numbers = 'The document does not list the error numbers'
const gone = 'The document gives no status. The double sends 404'

const anonymous = 'listInsights:credential-missing'
const unknownToken = 'listInsights:credential-unknown'
const wrongLimit = 'listInsights:limit-not-a-number'
const list = 'listInsights:list-as-ada'
const challenge = 'www-authenticate'

/** Deviations by the line of the spec that they name, and the assumption that they refute. */
const found: Readonly<Record<string, readonly Found[]>> = {
  'Unauthorized: | The document does not give the response to a missing': [
    changed('a missing credential gets 403', anonymous, withStatus(401, 403)),
    changed('a 401 has no challenge', anonymous, ({ headers }) => void delete headers[challenge]),
    changed('the challenge is Basic', anonymous, ({ headers }) => {
      if (headers[challenge] !== undefined) headers[challenge] = 'Basic realm="x"'
    }),
    instead('a token is not needed', anonymous, ({ headers, insights, method, path }) =>
      headers.authorization === undefined && path === '/insights' && method === 'GET' ? listOf(insights) : undefined,
    ),
  ],
  [`type: integer | ${bounds}`]: [
    changed('a bad request gets 422', wrongLimit, withStatus(400, 422)),
    instead('limit=abc gets 500', wrongLimit, ({ query }) =>
      query.get('limit') === 'abc' ? errorAnswer(500, 'Oops') : undefined,
    ),
    by('numbers may have other spellings', 'listInsights:limit-spelling-4', { lenientNumbers: true }),
    by('limit may be repeated', 'listInsights:limit-repeated', { repeatedLimit: true }),
    applied(by('limit may be empty', 'listInsights:limit-empty', { emptyLimit: true })),
  ],
  'paths:': [
    changed('an unknown path gets 400', 'service:unknown-path', (answer, { path }) => {
      if (path.startsWith('/no-such')) answer.status = 400
    }),
    changed('a method that is not allowed gets 404', 'service:method-GET-not-allowed', withStatus(405, 404)),
    instead('a slash at the end is ignored', 'service:path-with-slash', (asked) => {
      if (asked.path.endsWith('/')) Object.assign(asked, { path: asked.path.replace(/\/$/u, '') })
    }),
    instead('paths are case-insensitive', 'service:path-in-upper-case', (asked) => {
      Object.assign(asked, { path: asked.path.toLowerCase() })
    }),
  ],
  "'204': | The document says that a success response has no body": [
    applied(by('a delete gets 200', 'deleteInsight:removes-1', { deletedStatus: 200 })),
    applied(
      changed('a delete gets 202 with a body', 'deleteInsight:removes-1', (answer) => {
        if (answer.status === 204 && answer.headers['allow'] === undefined)
          Object.assign(answer, { ...listOf([]), status: 202, body: { deleted: true } })
      }),
    ),
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
    applied(by('a malformed id gets 404', 'deleteInsight:malformed-id-1', { malformedIdStatus: 404 })),
  ],
  'WWW-Authenticate: | The document does not give the response to an unknown token': [
    changed('the challenge for an unknown token has no error', unknownToken, ({ headers }) => {
      if (headers[challenge] !== undefined) headers[challenge] = 'Bearer'
    }),
    by('the scheme is case-sensitive', 'listInsights:credential-in-lower-case', { caseSensitiveScheme: true }),
  ],
  'content:': [
    applied(changed('errors are problem+json', wrongLimit, toError(typed('application/problem+json')))),
    applied(changed('lists have another media type', list, listing(listed('application/vnd.insights+json')))),
    changed('JSON is in another charset', list, listing(listed('application/json; charset=iso-8859-1'))),
    instead('a media type in Accept that is not supported gets 406', 'listInsights:accept-application-xml', (asked) =>
      asked.headers.accept === 'application/xml' ? errorAnswer(406, 'No XML.') : undefined,
    ),
    changed('an error is HTML', wrongLimit, (answer) => {
      if (answer.status === 400)
        Object.assign(answer, { headers: { 'content-type': 'text/html' }, body: '<h1>Bad Request</h1>' })
    }),
  ],
  [`error: | ${numbers}`]: [
    changed(
      'an error has another number',
      wrongLimit,
      toError((_, error) => void (error['error'] = 4711)),
    ),
  ],
  [`required: [error, message] | ${numbers}`]: [
    applied(changed('an error has another shape', wrongLimit, toError(reshape))),
  ],
  'required: [error, message]': [
    applied(
      changed(
        'an error has no message',
        wrongLimit,
        toError((_, error) => void delete error['message']),
      ),
    ),
  ],
  'Error:': [applied(changed('an error has a further property', wrongLimit, toError(addDocs)))],
  [`type: integer | ${numbers}`]: [applied(changed('an error number is a string', wrongLimit, toError(spellNumber)))],
  'Insight:': [
    applied(shown('an insight has a further property', list, (insight) => ({ ...insight, score: 7 }))),
    applied(
      shown('the names of properties have another case', list, ({ createdAt, ...insight }) => ({
        ...insight,
        created_at: createdAt,
      })),
    ),
  ],
  'required: [id, content]': [
    applied(
      shown('an insight has no content', list, ({ content, ...insight }) =>
        insight['id'] === 'in-1' ? insight : { ...insight, content },
      ),
    ),
    shown('the id has another name', list, ({ id, ...insight }) => ({ ...insight, insightId: id })),
  ],
  'format: date-time': [applied(shown('dates are not RFC 3339', list, dated('Mon, 05 Jan 2026 09:30:00 GMT')))],
  'type: string': [
    shown('dates are numbers', list, dated(1_767_605_400)),
    shown('a missing title is null', list, (insight) => ({ title: null, ...insight })),
  ],
  'source:': [
    changed(
      'a record in a short list has fewer properties',
      'listInsights:limit-is-2',
      listing((records, answer, { query }) => {
        if (query.get('limit') === '2') answer.body = records.map(({ source: _source, ...rest }) => rest)
      }),
    ),
  ],
  'delete: | The document does not say what happens to an insight that several': [
    by('a delete affects only its caller', 'deleteInsight:removes-1', { deletesForCallerOnly: true }),
  ],
  [`description: Deletes a single insight | ${gone}`]: [
    by('a delete deletes nothing', 'deleteInsight:removes-1', { keepsDeleted: true }),
  ],
  [`minimum: 1 | ${bounds}`]: [
    applied(by('limit=0 is accepted', 'listInsights:limit-below-minimum', { minimum: 0 })),
    applied(by('limit=-1 is accepted', 'listInsights:limit-negative', { minimum: -5 })),
  ],
  [`format: int32 | ${bounds}`]: [
    by('limit has a maximum', 'listInsights:limit-at-maximum', { maximum: 100 }),
    applied(by('limit has no maximum', 'listInsights:limit-above-maximum', { maximum: Number.MAX_SAFE_INTEGER })),
  ],
  '- name: limit | The document does not say what happens if limit is omitted': [
    applied(by('a list without limit has 5 insights', list, { defaultLimit: 5 })),
  ],
  '- name: limit': [
    instead('a list has one insight more than limit', 'listInsights:limit-is-2', ({ query }) => {
      if (query.get('limit') === '2') query.set('limit', '3')
    }),
    instead('limit is ignored', 'listInsights:limit-is-1', ({ query }) => {
      if (/^[1-9]\d?$/u.test(query.getAll('limit').join())) query.delete('limit')
    }),
    changed(
      'limit selects the last insights',
      'listInsights:limit-is-1',
      listing((_, answer, { insights, query, caller = '' }) => {
        if (query.get('limit') === '1')
          Object.assign(answer, listOf(insights.filter(({ access }) => access.includes(caller)).slice(-1)))
      }),
    ),
  ],
  'schema: | The document gives no order': [
    changed(
      'limit reverses the order',
      'listInsights:limit-is-2',
      listing((records, _, { query }) => {
        if (query.get('limit') === '2') records.reverse()
      }),
    ),
    changed(
      'the order changes',
      'listInsights:stable-order',
      listing((records, _, { count }) => void records.push(...records.splice(0, count % 5))),
    ),
  ],
  'get: | The document does not say how the service handles an undocumented': [
    by('offset skips', 'listInsights:undocumented-offset', { offset: true }),
    by('an undocumented parameter is refused', 'listInsights:undocumented-parameter', { strictQuery: true }),
    instead('LIMIT has the effect of limit', 'listInsights:limit-in-upper-case', ({ query }) => {
      const text = query.get('LIMIT')
      if (text !== null) query.set('limit', text)
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
    instead('HEAD is not allowed', 'listInsights:head', ({ method }) =>
      method === 'HEAD' ? errorAnswer(405, 'No HEAD.') : undefined,
    ),
    changed('OPTIONS gets 200', 'listInsights:options', (answer, { method }) => {
      if (method === 'OPTIONS') answer.status = 200
    }),
  ],
}

export const deviations: readonly Deviation[] = Object.entries(found).flatMap(([key, all]) => {
  const [line = '', refutes] = key.split(' | ')
  return all.map((each) => ({ ...each, line, ...(refutes === undefined ? {} : { refutes }) }))
})
