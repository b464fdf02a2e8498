/** Deviations of responses: statuses, header fields, media types, bodies of errors, and records. */
import type { Deviation } from './deviation.js'
import { asError, isError, listing, withStatus } from './deviation.js'
import { errorAnswer } from './insights-service.js'

/** These deviations. */
export const responseDeviations: readonly Deviation[] = [
  // Statuses
  {
    name: 'a missing credential gets 403',
    switches: { change: withStatus(401, 403) },
    probe: 'listInsights:credential-missing',
    line: 'Unauthorized:',
    refutes: 'The document does not give the response to a missing',
  },
  {
    isApplied: true,
    name: 'a bad request gets 422',
    switches: { change: withStatus(400, 422) },
    probe: 'listInsights:limit-not-a-number',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
  },
  {
    name: 'an unknown path gets 400',
    switches: {
      change: (answer, { path }) => {
        if (path.startsWith('/no-such')) answer.status = 400
      },
    },
    probe: 'service:unknown-path',
    line: 'paths:',
  },
  {
    name: 'a method that is not allowed gets 404',
    switches: { change: withStatus(405, 404) },
    probe: 'service:method-GET-not-allowed',
    line: 'paths:',
  },
  {
    name: 'limit=abc gets 500',
    switches: { instead: ({ query }) => (query.get('limit') === 'abc' ? errorAnswer(500, 'Oops') : undefined) },
    probe: 'listInsights:limit-not-a-number',
    line: 'type: integer',
    refutes: 'The document gives no bounds',
  },
  {
    name: 'a delete gets 200',
    switches: { deletedStatus: 200 },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'204':",
    refutes: 'The document says that a success response has no body',
    isApplied: true,
  },
  {
    name: 'a delete gets 202 with a body',
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
    name: 'a second delete gets 204',
    switches: { secondStatus: 204 },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'a second delete gets 410',
    switches: { secondStatus: 410 },
    needsDelete: true,
    probe: 'deleteInsight:removes-1',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'an unknown id gets 204',
    switches: { unknownStatus: 204 },
    needsDelete: true,
    probe: 'deleteInsight:unknown-id',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'an unknown id gets 400',
    switches: { unknownStatus: 400 },
    needsDelete: true,
    probe: 'deleteInsight:unknown-id',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  {
    name: 'a malformed id gets 404',
    switches: { malformedIdStatus: 404 },
    needsDelete: true,
    probe: 'deleteInsight:malformed-id-1',
    line: 'InsightId:',
    refutes: 'The document gives neither the name nor the type',
    isApplied: true,
  },
  {
    name: 'a foreign insight gets 403',
    switches: { foreignStatus: 403 },
    needsDelete: true,
    probe: 'deleteInsight:removes-2',
    line: "'404':",
    refutes: 'The document gives no status. The double sends 404',
  },
  // Headers
  {
    name: 'a 401 has no challenge',
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
    name: 'the challenge for an unknown token has no error',
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
    name: 'lists have another media type',
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
    name: 'a media type in Accept that is not supported gets 406',
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
    name: 'an error has another number',
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
    name: 'the names of properties have another case',
    switches: { show: ({ createdAt, ...insight }) => ({ ...insight, created_at: createdAt }) },
    probe: 'listInsights:list-as-ada',
    line: 'Insight:',
    isApplied: true,
  },
  {
    name: 'a missing title is null',
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
]
