/** Request bodies that are forms: urlencoded and multipart. */
import type { Feature } from './feature.js'
import { inBody, note, object } from './feature.js'

const urlencoded = 'application/x-www-form-urlencoded'
const form = (
  title: string,
  clause: string,
  media: { schema: object; encoding?: object },
  legal: readonly string[],
  illegal: readonly string[],
): Feature => inBody(`form: ${title}`, clause, urlencoded, { ...media }, legal, illegal)

/** One part of a multipart body: its name, the other fields of its header, and its content. */
type Part = readonly [name: string, content: string, file?: string | undefined, type?: string]

function parts(...all: readonly Part[]): Uint8Array {
  const written = all.map(([name, content, file, type]) => {
    const disposition = `Content-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`
    return `--XX\r\n${disposition}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n${content}\r\n`
  })
  return Buffer.from(`${written.join('')}--XX--\r\n`, 'latin1')
}
const multipart = (
  title: string,
  clause: string,
  media: { schema: object; encoding?: object },
  legal: readonly (string | Uint8Array)[],
  illegal: readonly (string | Uint8Array)[],
): Feature =>
  inBody(
    `multipart: ${title}`,
    clause,
    'multipart/form-data',
    { ...media },
    legal,
    illegal,
    'multipart/form-data; boundary=XX',
  )

/** Request bodies that are forms. */
export const formFeatures: readonly Feature[] = [
  form(
    'primitives',
    '3.1.1 Encoding Object, application/x-www-form-urlencoded',
    { schema: note },
    ['n=1', 'n=1&tag=care', 'n=%31'],
    ['n=0', 'n=a', 'tag=care', 'n=1&tag=bad', 'n=1&x=1', 'n=1&n=2'],
  ),
  form(
    'boolean and number',
    '3.1.1 Encoding Object, contentType',
    { schema: object({ b: { type: 'boolean' }, x: { type: 'number' } }) },
    ['b=true&x=1.5'],
    ['b=1', 'x=a'],
  ),
  form(
    'space and percent-encoding',
    '3.1.1 Appendix E (WHATWG URL 5.1)',
    { schema: object({ s: { enum: ['a b', '+&=é'] } }, ['s']) },
    ['s=a+b', 's=a%20b', 's=%2B%26%3D%C3%A9'],
    ['s=a%2Bb'],
  ),
  form(
    'reserved characters',
    '3.1.1 Encoding Object, allowReserved',
    { schema: object({ s: { type: 'string', maxLength: 5 } }), encoding: { s: { allowReserved: true } } },
    ['s=/?:@!', 's=%2F'],
    ['s=/?:@!$'],
  ),
  form(
    'array, explode by default',
    '3.1.1 Encoding Object, explode',
    { schema: object({ n: { type: 'array', items: { type: 'integer', minimum: 1 } } }) },
    ['n=1', 'n=1&n=2'],
    ['n=1&n=0', 'n=-1&n=2', 'n=1,2'],
  ),
  form(
    'array, style: form, explode: false',
    '3.1.1 Encoding Object, style',
    {
      schema: object({ n: { type: 'array', items: { type: 'integer' } } }),
      encoding: { n: { style: 'form', explode: false } },
    },
    ['n=1,2', 'n=1'],
    ['n=1,a', 'n=1&n=2'],
  ),
  form(
    'array, style: pipeDelimited',
    '3.1.1 Encoding Object, style',
    {
      schema: object({ n: { type: 'array', items: { type: 'integer' } } }),
      encoding: { n: { style: 'pipeDelimited', explode: false } },
    },
    ['n=1|2', 'n=1%7C2'],
    ['n=1|a', 'n=1,2'],
  ),
  form(
    'array, style: spaceDelimited',
    '3.1.1 Encoding Object, style',
    {
      schema: object({ n: { type: 'array', items: { type: 'integer' } } }),
      encoding: { n: { style: 'spaceDelimited', explode: false } },
    },
    ['n=1+2', 'n=1%202'],
    ['n=1+a', 'n=1,2'],
  ),
  form(
    'object as JSON',
    '3.1.1 Encoding Object, Example: URL Encoded Form with JSON Values',
    { schema: object({ o: note }) },
    ['o=%7B%22n%22%3A1%7D'],
    ['o=%7B%22n%22%3A0%7D', 'o=x', 'o=n,1'],
  ),
  form(
    'object, style: deepObject',
    '3.1.1 Encoding Object, style',
    { schema: object({ o: note }, ['o']), encoding: { o: { style: 'deepObject', explode: true } } },
    ['o[n]=1', 'o%5Bn%5D=1&o[tag]=care'],
    ['o[n]=0', 'o[tag]=care', 'n=1'],
  ),
  form(
    'object, style: form, explode',
    '3.1.1 Encoding Object, style',
    { schema: object({ o: note }, ['o']), encoding: { o: { style: 'form', explode: true } } },
    ['n=1&tag=care'],
    ['n=0', 'tag=care'],
  ),
  form(
    'a required property',
    '3.1.1 Schema Object, required',
    { schema: object({ a: { type: 'string' } }, ['a']) },
    ['a=', 'a=x'],
    ['b=x', 'A=x'],
  ),
  multipart(
    'primitives',
    '3.1.1 Encoding Object, contentType: text/plain',
    { schema: note },
    [parts(['n', '1']), parts(['n', '1', undefined, 'text/plain'], ['tag', 'care'])],
    [parts(['n', '0']), parts(['n', 'a']), parts(['tag', 'care']), parts(['n', '1'], ['x', '1'])],
  ),
  multipart(
    'a file with a type',
    '3.0.4 Considerations for File Uploads',
    { schema: object({ f: { type: 'string', format: 'binary', maxLength: 3 } }, ['f']) },
    [parts(['f', '\xff\x00\xfe', 'a.bin', 'application/octet-stream'])],
    [parts(['g', 'x', 'a.bin', 'application/octet-stream']), parts(['f', 'four', 'a.bin', 'application/octet-stream'])],
  ),
  multipart(
    'a file without a type',
    'RFC 7578 4.4',
    { schema: object({ f: { type: 'string', format: 'binary' } }, ['f']) },
    [parts(['f', 'x', 'a.bin'])],
    [parts(['g', 'x', 'a.bin'])],
  ),
  multipart(
    'a file by contentMediaType',
    '3.1.1 Considerations for File Uploads',
    { schema: object({ f: { contentMediaType: 'image/png' } }, ['f']) },
    [parts(['f', '\x89PNG', 'a.png', 'image/png'])],
    [parts(['g', 'x', 'a.png', 'image/png'])],
  ),
  multipart(
    'contentType of a part',
    '3.1.1 Encoding Object, contentType',
    { schema: object({ f: { type: 'string' } }), encoding: { f: { contentType: 'image/png, image/*' } } },
    [parts(['f', 'x', 'a.png', 'image/png']), parts(['f', 'x', 'a.gif', 'image/gif'])],
    [parts(['f', 'x', 'a.html', 'text/html'])],
  ),
  multipart(
    'several files',
    '3.1.1 Example: Multipart Form with Multiple Files',
    { schema: object({ f: { type: 'array', items: { type: 'string' }, maxItems: 2 } }, ['f']) },
    [parts(['f', 'a', 'a.txt', 'text/plain']), parts(['f', 'a', 'a.txt', 'text/plain'], ['f', 'b', 'b.txt'])],
    [parts(['f', 'a', 'a'], ['f', 'b', 'b'], ['f', 'c', 'c']), parts(['g', 'a'])],
  ),
  multipart(
    'an object is JSON',
    '3.1.1 Encoding Object, contentType: application/json',
    { schema: object({ o: note }, ['o']) },
    [
      parts(['o', '{"n":1}']),
      parts(['o', '{"n":1}', undefined, 'application/json']),
      parts(['o', '{"n":1}', 'blob', 'application/json']),
    ],
    [parts(['o', '{"n":0}']), parts(['o', 'n=1']), parts(['o', '{'])],
  ),
  multipart(
    'broken',
    'RFC 2046 5.1.1',
    { schema: object({}) },
    [parts(['n', '1'])],
    ['x', '--XX\r\n', parts(['n', '1']).subarray(0, 40)],
  ),
  inBody(
    'multipart: no boundary',
    'RFC 2046 5.1.1',
    'multipart/form-data',
    { schema: object({}) },
    [],
    [parts(['n', '1'])],
  ),
]
