import { control, everything } from './helpers/control.js'
import { testOnDouble } from './helpers/double.js'
import { assertError } from './helpers/http.js'

const both = 'Invalid fault: a disconnect has no response; give disconnect alone, or with delayMs.'
const nothing =
  'Invalid fault: it has no effect; give status, headers, body, delayMs, disconnect, truncate or chunkDelayMs.'
const framing = 'it decides where the response ends; use disconnect or truncate to break a response.'
const unknown = (operation: string): string =>
  `There is no operation ${JSON.stringify(operation)}. The contract has listInsights, deleteInsight.`
const refused: readonly (readonly [fault: object, message: RegExp | string])[] = [
  [{ operation: 'listInsight', status: 400 }, unknown('listInsight')],
  [{ operation: 'constructor', status: 400 }, unknown('constructor')],
  [{ operation: '', status: 400 }, unknown('')],
  [{ operation: 'getHealth', status: 400 }, unknown('getHealth')],
  [{}, nothing],
  [{ operation: 'listInsights' }, nothing],
  [{ delayMs: 0 }, nothing],
  [{ disconnect: false }, nothing],
  [{ skip: 1, times: 2 }, nothing],
  [{ headers: {}, truncate: false, chunkDelayMs: 0 }, nothing],
  [{ status: 400, disconnect: true }, both],
  [{ body: null, disconnect: true }, both],
  [{ truncate: true, disconnect: true }, both],
  [{ match: { caller: 'gracy' }, status: 400 }, 'There is no caller "gracy". The state has ada, grace, alan.'],
  [
    { operation: 'listInsights', match: { parameters: { limt: 1 } }, status: 400 },
    'There is no parameter "limt". listInsights has limit.',
  ],
  [
    { match: { parameters: { constructor: 1 } }, status: 400 },
    'There is no parameter "constructor". The contract has limit, id.',
  ],
  [{ match: { callr: 'ada' }, status: 400 }, /found 'callr'/u],
  [{ status: 204, body: {} }, 'Invalid fault: a 204 has no body; leave the body out.'],
  ...['Content-Length', 'transfer-encoding', 'connection'].map(
    (name) =>
      [
        { headers: { [name]: '1' } },
        `Invalid fault: the header ${JSON.stringify(name)} cannot be set: ${framing}`,
      ] as const,
  ),
  [{ headers: { 'x-request-id': 'mine' } }, /x-request-id\W+ cannot be set: the journal finds the request by it\./u],
  [{ headers: { 'x-a': 'b\r\nx-c: d' } }, 'Invalid fault: the header "x-a" cannot be sent: it contains a line break.'],
  [{ headers: { 'x a': 'b' } }, /the header \W+x a\W+ cannot be sent/u],
  [{ headers: { 'x-a': 1 } }, /headers\W+x-a must be string/u],
  [{ chunkDelayMs: 10_001 }, /chunkDelayMs must be <= 10000/u],
  [
    { status: 400, times: 'ever' },
    'Request body property times must be integer, or must be equal to one of the allowed values: always.',
  ],
  [{ status: 199 }, /status must be >= 200/u],
  [{ status: 600 }, /status must be <= 599/u],
  [{ status: '400' }, /status must be integer/u],
  [{ status: 400.5 }, /status must be integer/u],
  [{ status: null }, /status must be integer/u],
  [{ delayMs: -1 }, /delayMs must be >= 0/u],
  [{ delayMs: 60_001 }, /delayMs must be <= 60000/u],
  [{ status: 400, times: 0 }, /times must be >= 1/u],
  [{ status: 400, times: 1_000_001 }, /times must be <= 1000000/u],
  [{ status: 400, skip: -1 }, /skip must be >= 0/u],
  [{ status: 400, skip: 1_000_001 }, /skip must be <= 1000000/u],
  [{ disconnect: 1 }, /disconnect must be boolean/u],
  [{ operation: 1, status: 400 }, /operation must be string/u],
  [{ status: 400, delay: 5 }, /found 'delay'/u],
]
for (const [fault, message] of refused)
  testOnDouble(`the fault ${JSON.stringify(fault)} is refused, and none is added`, async (t, double) => {
    const before = await everything(double)
    const reply = await control(double, 'POST', '/faults', fault)
    if (typeof message === 'string') assertError(t, reply, 400, message)
    else {
      assertError(t, reply, 400)
      t.regex(reply.text, message)
    }
    t.deepEqual(await everything(double), before)
  })
