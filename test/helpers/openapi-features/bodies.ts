/** Request bodies that are not forms: JSON, bytes and text. */
import type { Attempt, Feature } from './feature.js'
import { inBody, inJson, note, object } from './feature.js'

const typed = (type: string, body: string, status?: number): Attempt => ({
  headers: [`Content-Type: ${type}`],
  body,
  ...(status === undefined ? {} : { status }),
})
const twoTypes = {
  'application/a+json': { schema: object({ n: { type: 'integer' } }, ['n']) },
  'application/b+json': { schema: object({ s: { type: 'string' } }, ['s']) },
}
const two = { requestBody: { content: twoTypes } }
const versions = {
  'application/json; version=1': { schema: object({ n: { type: 'integer' } }, ['n']) },
  'application/json; version=2': { schema: object({ n: { type: 'string' } }, ['n']) },
}
const ranges = {
  'text/plain': { schema: { type: 'string', maxLength: 2 } },
  'text/*': { schema: { type: 'string', maxLength: 4 } },
  '*/*': { schema: { type: 'string', maxLength: 6 } },
}

/** Request bodies that are no form. */
export const bodyFeatures: readonly Feature[] = [
  inJson(
    'JSON object',
    '3.1.1 Request Body Object, content',
    note,
    ['{"n":1}', ' {"n":1,"tag":"care"} '],
    ['{"n":0}', '{"n":"1"}', '{}', '[]', 'null', '{', '{"n":1,"x":1}', ''],
  ),
  inJson(
    'JSON null',
    '3.0.4 Schema Object, nullable',
    { type: 'object', properties: { n: { type: 'integer', nullable: true } } },
    ['{"n":null}', '{"n":1}'],
    ['{"n":"null"}', 'null'],
  ),
  {
    title: 'body: optional',
    clause: '3.1.1 Request Body Object, required: "Defaults to false"',
    operation: { requestBody: { content: { 'application/json': { schema: note } } } },
    legal: [{}, typed('application/json', '{"n":1}')],
    illegal: [typed('application/json', '{"n":0}'), typed('text/plain', '1', 415)],
  },
  inBody(
    'JSON with a charset',
    '3.1.1 Media Types; RFC 8259 8.1',
    'application/json',
    { schema: note },
    ['{"n":1}'],
    ['{"n":0}'],
    'application/json; charset=utf-8',
  ),
  inBody(
    'JSON that is no UTF-8',
    'RFC 8259 8.1',
    'application/json',
    { schema: { type: 'string' } },
    ['"é"'],
    [Buffer.from('"\xe9"', 'latin1')],
  ),
  {
    title: 'body: +json, each by its own schema',
    clause: '3.1.1 Request Body Object, content; RFC 6838 4.2.8',
    operation: two,
    legal: [
      typed('application/a+json', '{"n":1}'),
      typed('application/b+json', '{"s":"x"}'),
      typed('Application/B+JSON', '{"s":"x"}'),
    ],
    illegal: [
      typed('application/a+json', '{"s":"x"}'),
      typed('application/b+json', '{"n":1}'),
      typed('application/b+json', 'x'),
      typed('application/c+json', '{"n":1}', 415),
    ],
  },
  {
    title: 'body: media type keys with parameters',
    clause: '3.1.1 Request Body Object, content: "a media type or media type range"',
    operation: { requestBody: { content: versions } },
    legal: [typed('application/json; version=1', '{"n":1}'), typed('application/json;version="2"', '{"n":"x"}')],
    illegal: [
      typed('application/json; version=1', '{"n":"x"}'),
      typed('application/json; version=2', '{"n":1}'),
      typed('application/json; version=3', '{"n":1}', 415),
    ],
  },
  inBody(
    'a key with a charset',
    '3.1.1 Request Body Object, content',
    'application/json; charset=utf-8',
    { schema: note },
    ['{"n":1}'],
    ['{"n":0}'],
    'application/json',
  ),
  {
    title: 'body: the most specific key applies',
    clause: '3.1.1 Request Body Object, content: "only the most specific key is applicable"',
    operation: { requestBody: { content: ranges } },
    legal: [typed('text/plain', 'ab'), typed('text/html', 'abcd'), typed('image/png', 'abcdef')],
    illegal: [typed('text/plain', 'abc'), typed('text/html', 'abcde'), typed('image/png', 'abcdefg')],
  },
  inBody(
    'octet-stream',
    '3.1.1 Considerations for File Uploads',
    'application/octet-stream',
    { schema: { type: 'string', maxLength: 3 } },
    [Buffer.from([0xff, 0x00, 0xfe]), '{"a'],
    [Buffer.from([1, 2, 3, 4])],
  ),
  inBody(
    'octet-stream of any content',
    '3.1.1 Considerations for File Uploads',
    'application/octet-stream',
    { schema: {} },
    [Buffer.from([0xff]), 'x'],
    [''],
  ),
  inBody(
    'image, format: binary',
    '3.0.4 Considerations for File Uploads',
    'image/png',
    { schema: { type: 'string', format: 'binary' } },
    [Buffer.from([0x89, 0x50])],
    [''],
  ),
  inBody(
    'text',
    '3.1.1 Media Type Object',
    'text/plain',
    { schema: { type: 'string', pattern: '^[a-zé ]+$' } },
    ['abc', 'é'],
    ['ABC', '1'],
  ),
  inBody(
    'text with a charset',
    'RFC 9110 8.3.2',
    'text/plain',
    { schema: { enum: ['é'] } },
    [Buffer.from([0xe9])],
    ['é'],
    'text/plain; charset=iso-8859-1',
  ),
  inBody(
    'text that is no UTF-8',
    'RFC 9110 8.3.2',
    'text/plain',
    { schema: { type: 'string' } },
    ['é'],
    [Buffer.from([0xe9])],
    'text/plain; charset=utf-8',
  ),
  inBody(
    'text that is an integer',
    '3.1.1 Data Types',
    'text/plain',
    { schema: { type: 'integer', minimum: 1 } },
    ['5'],
    ['0', 'x'],
  ),
  inBody(
    'XML is text, and not taken for JSON',
    '3.1.1 XML Object',
    'application/xml',
    { schema: { type: 'object' } },
    ['<a/>'],
    [''],
  ),
]
