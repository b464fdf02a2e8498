/** Schemas of bodies: formats, null, choices, and properties of requests or responses only. */
import type { Feature } from './feature.js'
import { inJson } from './feature.js'

const object = (properties: object, required: readonly string[] = []): { readonly [key: string]: unknown } => ({
  type: 'object',
  properties,
  required,
})
const id = { type: 'string', readOnly: true }
const cat = object({ kind: { const: 'cat' }, lives: { type: 'integer', maximum: 9 } }, ['kind'])
const dog = object({ kind: { const: 'dog' }, tricks: { type: 'array' } }, ['kind', 'tricks'])

/** Schemas. */
export const schemaFeatures: readonly Feature[] = [
  inJson(
    'int64',
    '3.1.1 Data Type Format, int64',
    object({ n: { type: 'integer', format: 'int64' } }),
    ['{"n":9223372036854775807}', '{"n":-9223372036854775808}', '{"n":9007199254740993}'],
    ['{"n":9223372036854775808}', '{"n":-9223372036854775809}', '{"n":1.5}', '{"n":"1"}'],
  ),
  inJson(
    'a bound beyond 2^53',
    '3.1.1 Schema Object, maximum',
    object({ n: { type: 'integer', maximum: 9007199254740992 } }),
    ['{"n":9007199254740992,"s":"9007199254740993"}'],
    ['{"n":9007199254740993}'],
  ),
  inJson(
    'int32',
    '3.1.1 Data Type Format, int32',
    object({ n: { type: 'integer', format: 'int32' } }),
    ['{"n":2147483647}'],
    ['{"n":2147483648}'],
  ),
  inJson(
    'byte',
    '3.0.4 Data Type Format, byte (base64)',
    object({ b: { type: 'string', format: 'byte' } }),
    ['{"b":"aGk="}', '{"b":""}'],
    ['{"b":"a"}', '{"b":"a==="}', '{"b":"***="}'],
  ),
  inJson(
    'uuid, email, date',
    '3.1.1 Data Type Format',
    object({
      u: { type: 'string', format: 'uuid' },
      e: { type: 'string', format: 'email' },
      d: { type: 'string', format: 'date' },
    }),
    ['{"u":"123e4567-e89b-42d3-a456-426614174000","e":"a@b.example","d":"2026-02-28"}'],
    ['{"u":"x"}', '{"e":"x"}', '{"d":"2026-02-30"}'],
  ),
  inJson(
    'nullable',
    '3.0.4 Schema Object, nullable',
    object({ n: { type: 'integer', minimum: 1, nullable: true } }),
    ['{"n":null}', '{"n":1}'],
    ['{"n":0}', '{"n":"null"}'],
  ),
  inJson(
    'nullable next to an enum without null',
    '3.0.4 Schema Object, nullable',
    object({ n: { type: 'string', enum: ['a'], nullable: true } }),
    ['{"n":"a"}'],
    ['{"n":null}', '{"n":"b"}'],
  ),
  inJson(
    'nullable below patternProperties',
    '3.0.4 Schema Object, nullable',
    { type: 'object', additionalProperties: { type: 'integer', nullable: true } },
    ['{"a":null}'],
    ['{"a":"x"}'],
  ),
  inJson(
    'a list of types',
    '3.1.1 Schema Object, type',
    object({ n: { type: ['integer', 'null'] } }),
    ['{"n":null}', '{"n":1}'],
    ['{"n":"1"}'],
  ),
  inJson(
    'oneOf with a discriminator',
    '3.1.1 Discriminator Object',
    { oneOf: [cat, dog], discriminator: { propertyName: 'kind' } },
    ['{"kind":"cat"}', '{"kind":"dog","tricks":[]}'],
    ['{"kind":"dog"}', '{"kind":"cow"}', '{}', '{"kind":"cat","lives":10}'],
  ),
  inJson(
    'oneOf: exactly one',
    '3.1.1 Schema Object, oneOf',
    {
      oneOf: [
        { type: 'integer', minimum: 1 },
        { type: 'integer', maximum: 5 },
      ],
    },
    ['0', '6'],
    ['3', '"x"'],
  ),
  inJson(
    'anyOf, not',
    '3.1.1 Schema Object, anyOf and not',
    { anyOf: [{ type: 'integer' }, { type: 'boolean' }], not: { const: 3 } },
    ['1', 'true'],
    ['3', '"x"'],
  ),
  inJson(
    'readOnly is not required',
    '3.1.1 Schema Object, readOnly; 3.0.4 readOnly: "the required will take effect on the response only"',
    object({ id, content: { type: 'string' } }, ['id', 'content']),
    ['{"content":"x"}'],
    ['{"id":"a"}', '{"content":1}'],
  ),
  inJson(
    'readOnly is not required, in allOf',
    '3.0.4 Schema Object, readOnly',
    { allOf: [object({ id }), { required: ['id'], properties: { content: { type: 'string' } } }] },
    ['{"content":"x"}', '{}'],
    ['{"content":1}'],
  ),
  inJson(
    'readOnly is not required, in items',
    '3.0.4 Schema Object, readOnly',
    { type: 'array', items: { anyOf: [object({ id, n: { type: 'integer' } }, ['id', 'n'])] } },
    ['[{"n":1}]'],
    ['[{}]'],
  ),
  inJson(
    'writeOnly is required in a request',
    '3.0.4 Schema Object, writeOnly',
    object({ password: { type: 'string', writeOnly: true } }, ['password']),
    ['{"password":"x"}'],
    ['{}'],
  ),
  inJson(
    'additionalProperties with a schema',
    '3.1.1 Schema Object, additionalProperties',
    { type: 'object', additionalProperties: { type: 'integer' } },
    ['{"a":1}'],
    ['{"a":"x"}'],
  ),
  inJson(
    'date-time',
    '3.1.1 Data Type Format, date-time (RFC 3339)',
    object({ d: { type: 'string', format: 'date-time' } }),
    ['{"d":"2026-01-05T09:30:00Z"}'],
    ['{"d":"2026-01-05 09:30:00Z"}', '{"d":"2026-01-05T09:30:00+01"}', '{"d":"2026-01-05T09:30:00+24:00"}'],
  ),
]
