import test from 'ava'

import { refuses, validSpec } from './helpers/declare-invalid-spec-tests.js'

const list = '#/paths/~1insights/get'
const limit = `${list}/parameters/0`
const remove = '#/paths/~1insights~1{id}/delete'
const schemas = '#/components/schemas'
const content = `${list}/responses/200/content`
const item = `${content}/application~1json/schema/items`

refuses(test, [
  {
    title: 'a keyword with a missing letter',
    part: 'required: [content]',
    by: '▸requred: [content]',
    pointer: `${schemas}/Insight/requred`,
    what: /"requred" is not a keyword/u,
  },
  {
    title: 'a keyword with two letters swapped',
    part: 'id: { type: string }',
    by: 'id: { ▸tpye: string }',
    pointer: `${schemas}/Insight/properties/id/tpye`,
    what: /"tpye" is not a keyword/u,
  },
  {
    title: 'a keyword in another case',
    part: 'id: { type: string }',
    by: 'id: { type: string, ▸minlength: 2 }',
    pointer: `${schemas}/Insight/properties/id/minlength`,
    what: /"minlength" is not a keyword/u,
  },
  {
    title: 'a misspelt type',
    part: 'id: { type: string }',
    by: 'id: { type: ▸strnig }',
    pointer: `${schemas}/Insight/properties/id/type`,
    what: /type is "strnig"/u,
  },
  {
    title: 'a misspelt field of an operation',
    part: '      parameters:\n        - { name: limit',
    by: '      ▸paramaters:\n        - { name: limit',
    pointer: `${list}/paramaters`,
    what: /"paramaters" is not a field of an operation/u,
  },
  {
    title: 'a misspelt field of a response',
    part: '          content:',
    by: '          ▸contents:',
    pointer: `${list}/responses/200/contents`,
    what: /"contents" is not a field of a response/u,
  },
  {
    title: 'a misspelt field of a media type',
    part: 'schema: { type: array',
    by: '▸shema: { type: array',
    pointer: `${content}/application~1json/shema`,
    what: /"shema" is not a field of a media type/u,
  },
  {
    title: 'a misspelt field of a parameter',
    part: 'in: query, schema:',
    by: 'in: query, ▸requird: true, schema:',
    pointer: `${limit}/requird`,
    what: /"requird" is not a field of a parameter/u,
  },
  {
    title: 'a misspelt location of a parameter',
    part: '{ name: limit, in: query',
    by: '▸{ name: limit, in: qurey',
    pointer: limit,
    what: /"qurey"/u,
  },
  {
    title: 'a misspelt section of the document',
    part: 'components:',
    by: '▸componets: {}\ncomponents:',
    pointer: '#/componets',
    what: /"componets" is not a field of an OpenAPI document/u,
  },
  {
    title: 'a parameter that is declared twice',
    part: '        - { name: limit, in: query, schema: { type: integer, minimum: 1 } }',
    by: '        - { name: limit, in: query, schema: {} }\n        - ▸{ name: limit, in: query, schema: {} }',
    pointer: `${list}/parameters/1`,
    what: /query limit is declared twice/u,
  },
  {
    title: 'a parameter with a schema and content',
    part: '{ name: limit, in: query,',
    by: '▸{ name: limit, in: query, content: { application/json: { schema: {} } },',
    pointer: limit,
    what: /both a schema and content/u,
  },
  {
    title: 'parameters that are not a list',
    part: 'parameters:\n        - { name: limit, in: query, schema: { type: integer, minimum: 1 } }',
    by: 'parameters: ▸{ name: limit }',
    pointer: `${list}/parameters`,
    what: /is not a list/u,
  },
  {
    title: 'one method at paths that differ only in the names of parameters',
    part: 'components:\n',
    by: "  ▸/insights/{name}: { parameters: [{ name: name, in: path, required: true, schema: {} }], delete: { responses: { '200': { description: X. } } } }\ncomponents:\n",
    pointer: '#/paths/~1insights~1{name}',
    what: /is the same as "\/insights\/\{id\}"/u,
  },
  {
    title: 'a brace that is not closed',
    part: 'components:\n',
    by: "  ▸/x/{id: { get: { responses: { '200': { description: X. } } } }\ncomponents:\n",
    pointer: '#/paths/~1x~1{id',
    what: /is not a valid template/u,
  },
  {
    title: 'an operation that is a string',
    part: 'components:\n',
    by: '  /x: { get: ▸text }\ncomponents:\n',
    pointer: '#/paths/~1x/get',
    what: /is not an operation/u,
  },
  {
    title: 'a status in lower case',
    part: "'204': {",
    by: "▸4xx: { description: X. }\n        '204': {",
    pointer: `${remove}/responses/4xx`,
    what: /"4xx" is not a status/u,
  },
  {
    title: 'no responses in OpenAPI 3.0',
    by: validSpec.replace('3.1.0', '3.0.3').replace(/(delete:[^]*?) {6}responses:.*\n.*\n(?=components)/u, '▸$1'),
    pointer: remove,
    what: /documents no responses/u,
  },
  {
    title: 'an empty object of responses',
    by: validSpec.replace('    delete:', '    ▸delete:').replace(/responses:\n.*Deleted.*\n/u, 'responses: {}\n'),
    pointer: remove,
    what: /documents no responses/u,
  },
  {
    title: 'a request body without content',
    part: 'operationId: deleteInsight\n',
    by: 'operationId: deleteInsight\n      ▸requestBody: { required: true }\n',
    pointer: `${remove}/requestBody`,
    what: /has no content/u,
  },
  {
    title: 'an unknown dialect',
    part: 'openapi: 3.1.0',
    by: 'openapi: 3.1.0\njsonSchemaDialect: ▸https://example.org/dialect',
    pointer: '#/jsonSchemaDialect',
    what: /"https:\/\/example\.org\/dialect" is not known/u,
  },
  {
    title: 'a length below 0 next to a $ref',
    part: "{ $ref: '#/components/schemas/Insight' }",
    by: "{ $ref: '#/components/schemas/Insight', minLength: ▸-1 }",
    pointer: `${item}/minLength`,
    what: /minLength is -1/u,
  },
  {
    title: 'an exclusiveMinimum that is a boolean in OpenAPI 3.1',
    part: 'minimum: 1',
    by: 'minimum: 1, exclusiveMinimum: ▸true',
    pointer: `${limit}/schema/exclusiveMinimum`,
    what: /exclusiveMinimum is true/u,
  },
  {
    title: 'items that are a list in OpenAPI 3.1',
    part: 'id: { type: string }',
    by: 'id: { type: array, items: ▸[{ type: string }] }',
    pointer: `${schemas}/Insight/properties/id/items`,
    what: /items is a list/u,
  },
  {
    title: 'several types in OpenAPI 3.0',
    by: validSpec.replace('3.1.0', '3.0.3').replace('id: { type: string }', 'id: { type: ▸[string, integer] }'),
    pointer: `${schemas}/Insight/properties/id/type`,
    what: /OpenAPI 3\.0 does not have/u,
  },
  {
    title: 'the type null in OpenAPI 3.0',
    by: validSpec.replace('3.1.0', '3.0.3').replace('id: { type: string }', "id: { type: ▸'null', nullable: true }"),
    pointer: `${schemas}/Insight/properties/id/type`,
    what: /OpenAPI 3\.0 does not have/u,
  },
  {
    title: 'a nullable that is a word in OpenAPI 3.0',
    by: validSpec.replace('3.1.0', '3.0.3').replace('id: { type: string }', 'id: { type: string, nullable: ▸"yes" }'),
    pointer: `${schemas}/Insight/properties/id/nullable`,
    what: /nullable is "yes"/u,
  },
  {
    title: 'a required property that is named twice',
    part: 'required: [content]',
    by: 'required: ▸[content, content]',
    pointer: `${schemas}/Insight/required`,
    what: /duplicate items/u,
  },
  {
    title: 'a $ref to another file',
    part: "{ $ref: '#/components/schemas/Insight' }",
    by: "{ $ref: ▸'insight.yaml' }",
    pointer: `${item}/$ref`,
    what: /points outside of this document/u,
  },
  {
    title: 'a security scheme of an unknown type',
    part: 'bearer: { type: http, scheme: bearer }',
    by: 'bearer: ▸{ type: oauth, flows: {} }',
    pointer: '#/components/securitySchemes/bearer',
    what: /"bearer" has the type "oauth"/u,
  },
])
