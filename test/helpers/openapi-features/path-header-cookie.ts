/** Path, header and cookie parameters: every style, exploded or not, of primitives, arrays and objects. */
import type { Feature } from './feature.js'
import { clientPath, inCookie, inHeader, inPath } from './feature.js'

const positive = { type: 'integer', minimum: 1 }
const numbers = { type: 'array', items: positive, maxItems: 3 }
const color = {
  type: 'object',
  properties: { R: { type: 'integer', maximum: 255 }, G: { type: 'integer' } },
  required: ['R'],
  additionalProperties: false,
}
const rgb = { R: 100, G: 200 }

/** Path parameters. */
export const pathFeatures: readonly Feature[] = [
  inPath(
    'simple, integer',
    '3.1.1 Parameter Object, style: simple',
    { schema: positive },
    ['1', '%31', clientPath('{p}', 1)],
    ['0', 'a', '1.0', '1,2', '%201'],
  ),
  inPath(
    'simple, string',
    '3.1.1 Appendix E',
    { schema: { type: 'string', maxLength: 3 } },
    ['a%2Fb', 'a,b', '%C3%A9', clientPath('{p}', 'a/b')],
    ['abcd', 'a%2Fbc'],
  ),
  inPath(
    'simple, array',
    '3.1.1 Style Examples: simple, false',
    { schema: numbers },
    ['1', '1,2', clientPath('{p}', [1, 2])],
    ['1,0', '1,a', '1,2,3,4', '1%2C2'],
  ),
  inPath(
    'simple, array, explode',
    '3.1.1 Style Examples: simple, true',
    { explode: true, schema: numbers },
    ['1,2', clientPath('{p*}', [1, 2])],
    ['1,0'],
  ),
  inPath(
    'simple, object',
    '3.1.1 Style Examples: simple, false',
    { schema: color },
    ['R,100,G,200', clientPath('{p}', rgb)],
    ['R,256', 'R', 'G,1', 'R=100,G=200'],
  ),
  inPath(
    'simple, object, explode',
    '3.1.1 Style Examples: simple, true',
    { explode: true, schema: color },
    ['R=100,G=200', clientPath('{p*}', rgb)],
    ['R=256', 'G=1', 'R,100,G,200'],
  ),
  inPath(
    'label, integer',
    '3.1.1 Style Examples: label',
    { style: 'label', schema: positive },
    ['.5', clientPath('{.p}', 5)],
    ['5', '.0', '.a', ';5'],
  ),
  inPath(
    'label, array',
    '3.1.1 Style Examples: label, false',
    { style: 'label', schema: numbers },
    ['.1', '.1,2'],
    ['1,2', '.1,0', '.1.2'],
  ),
  inPath(
    'label, array, explode',
    '3.1.1 Style Examples: label, true',
    { style: 'label', explode: true, schema: numbers },
    ['.1.2', clientPath('{.p*}', [1, 2])],
    ['.1.0', '1.2', '.1,2'],
  ),
  inPath(
    'label, object',
    '3.1.1 Style Examples: label, false',
    { style: 'label', schema: color },
    ['.R,100,G,200'],
    ['.R,256', '.R', 'R,100'],
  ),
  inPath(
    'label, object, explode',
    '3.1.1 Style Examples: label, true',
    { style: 'label', explode: true, schema: color },
    ['.R=100.G=200', clientPath('{.p*}', rgb)],
    ['.R=256', '.R', 'R=100'],
  ),
  inPath(
    'matrix, integer',
    '3.1.1 Style Examples: matrix',
    { style: 'matrix', schema: positive },
    [';p=5', clientPath('{;p}', 5)],
    ['5', ';5', ';q=5', ';p=0', ';p'],
  ),
  inPath(
    'matrix, array',
    '3.1.1 Style Examples: matrix, false',
    { style: 'matrix', schema: numbers },
    [';p=1,2', clientPath('{;p}', [1, 2])],
    [';p=1,0', '1,2', ';p=1;p=2'],
  ),
  inPath(
    'matrix, array, explode',
    '3.1.1 Style Examples: matrix, true',
    { style: 'matrix', explode: true, schema: numbers },
    [';p=1;p=2', clientPath('{;p*}', [1, 2])],
    [';p=1;p=0', ';p=1;q=2', ';p=1,2'],
  ),
  inPath(
    'matrix, object',
    '3.1.1 Style Examples: matrix, false',
    { style: 'matrix', schema: color },
    [';p=R,100,G,200', clientPath('{;p}', rgb)],
    [';p=R,256', ';p=R', ';R=100'],
  ),
  inPath(
    'matrix, object, explode',
    '3.1.1 Style Examples: matrix, true',
    { style: 'matrix', explode: true, schema: color },
    [';R=100;G=200', clientPath('{;p*}', rgb)],
    [';R=256', ';G=1', ';p=R,100'],
  ),
  inPath(
    'content: application/json',
    '3.1.1 Parameter Object, content',
    { content: { 'application/json': { schema: color } } },
    ['%7B%22R%22:1%7D'],
    ['%7B%22R%22:256%7D', 'R', '%7B%22R%22:%221%22%7D'],
  ),
  inPath(
    'int64',
    '3.1.1 Data Type Format, int64',
    { schema: { type: 'integer', format: 'int64' } },
    ['9223372036854775807'],
    ['9223372036854775808'],
  ),
]

const ignored = (name: string): Feature => ({
  title: `header: a parameter named ${name} is ignored`,
  clause: '3.1.1 Parameter Object, name: "the parameter definition SHALL be ignored"',
  operation: { parameters: [{ name, in: 'header', required: true, schema: { type: 'integer' } }] },
  legal: [{}, { headers: [`${name}: text/plain`] }],
  illegal: [],
})

/** Header and cookie parameters. */
export const fieldFeatures: readonly Feature[] = [
  inHeader(
    'simple, integer',
    '3.1.1 Parameter Object, style: simple',
    { schema: positive },
    ['1', '', ' 1 '],
    ['0', 'a', '1.0', '1, 2'],
  ),
  inHeader('required', '3.1.1 Parameter Object, required', { required: true, schema: { type: 'string' } }, ['x'], ['']),
  inHeader(
    'simple, array of integers',
    '3.1.1 Style Examples: simple, false',
    { schema: numbers },
    ['1', '1,2', '1, 2'],
    ['1,0', '1,a', '1,2,3,4'],
  ),
  inHeader(
    'simple, array of strings',
    '3.1.1 Style Examples: simple, false',
    { schema: { type: 'array', items: { enum: ['care', 'sales'] } } },
    ['care', 'care, sales'],
    ['care,bad'],
  ),
  inHeader(
    'simple, object',
    '3.1.1 Style Examples: simple, false',
    { schema: color },
    ['R,100,G,200'],
    ['R,256', 'R', 'G,1'],
  ),
  inHeader(
    'simple, object, explode',
    '3.1.1 Style Examples: simple, true',
    { explode: true, schema: color },
    ['R=100,G=200', 'R=100, G=200'],
    ['R=256', 'R,100'],
  ),
  inHeader(
    'names are case-insensitive',
    '3.1.1 Parameter Object, name; RFC 9110 5.1',
    { name: 'x-p', schema: positive },
    ['1'],
    ['0'],
  ),
  inHeader(
    'content: application/json',
    '3.1.1 Parameter Object, content',
    { content: { 'application/json': { schema: color } } },
    ['{"R":1}'],
    ['{"R":256}', 'x'],
  ),
  inHeader(
    'int64',
    '3.1.1 Data Type Format, int64',
    { schema: { type: 'integer', format: 'int64' } },
    ['9223372036854775807'],
    ['9223372036854775808'],
  ),
  ignored('Accept'),
  ignored('Authorization'),
  ignored('content-type'),
  inCookie(
    'form, integer',
    '3.1.1 Parameter Object, in: cookie',
    { schema: positive },
    ['p=1', 'a=b; p=1', ''],
    ['p=0', 'p=a', 'a=b; p=0', 'p='],
  ),
  inCookie(
    'required',
    '3.1.1 Parameter Object, required',
    { required: true, schema: { type: 'string' } },
    ['p=x'],
    ['', 'q=x'],
  ),
  inCookie(
    'form, array, explode: false',
    '3.1.1 Style Examples: form, false',
    { explode: false, schema: numbers },
    ['p=1,2', 'p=1'],
    ['p=1,0', 'p=1,2,3,4'],
  ),
  inCookie(
    'form, array, explode',
    '3.1.1 Style Examples: form, true; Appendix D',
    { schema: numbers },
    ['p=1&p=2', 'p=1; p=2'],
    ['p=1&p=0', 'p=1; p=0', 'p=1,2'],
  ),
  inCookie(
    'form, object, explode: false',
    '3.1.1 Style Examples: form, false',
    { explode: false, schema: color },
    ['p=R,100,G,200'],
    ['p=R,256', 'p=R'],
  ),
  inCookie(
    'form, object, explode',
    '3.1.1 Style Examples: form, true; Appendix D',
    { schema: color },
    ['R=100&G=200', 'R=100; G=200'],
    ['R=256', 'G=1'],
  ),
  inCookie(
    'content: application/json',
    '3.1.1 Parameter Object, content',
    { content: { 'application/json': { schema: color } } },
    ['p=%7B%22R%22%3A1%7D'],
    ['p=%7B%22R%22%3A256%7D', 'p=x'],
  ),
]
