import test from 'ava'

import { refuses } from './helpers/declare-invalid-spec-tests.js'

const list = '#/paths/~1insights/get'
const limit = '#/paths/~1insights/get/parameters/0'
const remove = '#/paths/~1insights~1{id}/delete'
const schemas = '#/components/schemas'

refuses(test, [
  {
    title: 'an invalid regular expression',
    part: "'^[a-z-]+$'",
    by: "▸'^[a-z-+$'",
    pointer: `${remove}/parameters/0/schema/pattern`,
    what: /not a regular expression/u,
  },
  {
    title: 'an unknown type',
    part: 'integer',
    by: '▸int32',
    pointer: `${limit}/schema/type`,
    what: /type is "int32"/u,
  },
  {
    title: 'a minimum that is a string',
    part: 'minimum: 1',
    by: "minimum: ▸'1'",
    pointer: `${limit}/schema/minimum`,
    what: /minimum is "1".*number/u,
  },
  {
    title: 'a schema whose required is a boolean',
    part: 'required: [content]',
    by: 'required: ▸true',
    pointer: `${schemas}/Insight/required`,
    what: /required is true.*array/u,
  },
  {
    title: 'an enum that is a string',
    part: 'id: { type: string }',
    by: 'id: { enum: ▸"x" }',
    pointer: `${schemas}/Insight/properties/id/enum`,
    what: /enum is "x".*array/u,
  },
  {
    title: 'a schema that is a list',
    part: 'id: { type: string }',
    by: 'id: ▸[string]',
    pointer: `${schemas}/Insight/properties/id`,
    what: /is not a schema/u,
  },
  {
    title: 'an invalid media type',
    part: 'application/json:',
    by: '▸json:',
    pointer: `${list}/responses/200/content/json`,
    what: /"json" is not a media type/u,
  },
  {
    title: 'a parameter without a schema',
    part: '{ name: limit, in: query, schema: { type: integer, minimum: 1 } }',
    by: '▸{ name: limit, in: query }',
    pointer: limit,
    what: /has no schema/u,
  },
  {
    title: 'a title that is a number next to a $ref',
    part: "{ $ref: '#/components/schemas/Insight' }",
    by: "{ $ref: '#/components/schemas/Insight', title: ▸5 }",
    pointer: `${list}/responses/200/content/application~1json/schema/items/title`,
    what: /title is 5: it must be string/u,
  },
  {
    title: 'an empty oneOf',
    part: 'id: { type: string }',
    by: 'id: { anyOf: ▸[] }',
    pointer: `${schemas}/Insight/properties/id/anyOf`,
    what: /anyOf is \[\]: it must NOT have fewer than 1 items/u,
  },
  {
    title: 'an invalid keyword of JSON Schema that OpenAPI does not mention',
    part: 'id: { type: string }',
    by: 'id: { dependencies: ▸5 }',
    pointer: `${schemas}/Insight/properties/id/dependencies`,
    what: /dependencies is 5: it must be object/u,
  },
])
