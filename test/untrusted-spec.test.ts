import test from 'ava'
import { ProblemsError, startDouble } from 'insights-double'

import { serve, temporaryFolder, writeTemporary } from './helpers/double.js'
import { as, get } from './helpers/http.js'

const sound = `openapi: 3.1.0
info: { title: Insights, version: 1.0.0 }
security: [{ bearer: [] }]
paths:
  /insights:
    get:
      operationId: listInsights
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1 } }
      responses:
        '200':
          description: The insights.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Insight' } }
  /insights/{id}:
    delete:
      operationId: deleteInsight
      parameters:
        - { name: id, in: path, required: true, schema: { type: string, pattern: '^[a-z-]+$' } }
      responses:
        '204': { description: Deleted. }
components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
  schemas:
    Insight:
      type: object
      required: [content]
      properties:
        id: { type: string }
        content: { type: string }
        created: { type: string, format: date-time }
`
const operations = sound.slice(sound.indexOf('  /insights:'), sound.indexOf('components:'))
const list = '#/paths/~1insights/get'
const limit = '#/paths/~1insights/get/parameters/0'
const remove = '#/paths/~1insights~1{id}/delete'
const schemas = '#/components/schemas'
const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefghi'].map((name, index, names) => {
  const before = names[index - 1]?.[0]
  return index === 0 ? name : `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`
})

interface Row {
  readonly title: string
  /** What of the sound spec is replaced: all of it, or a part. */
  readonly part?: string
  /** What takes its place. `▸` marks the place that is reported. Without a mark, the problem has no place in the text. */
  readonly by: string
  /** The pointer that is reported, as `$ref` would write it. Undefined: the text is no document. */
  readonly pointer?: string
  readonly what: RegExp
}
const rows: readonly Row[] = [
  { title: 'an empty file', by: '▸', what: /is empty/u },
  { title: 'a file of blanks', by: '▸ \n\n', what: /is empty/u },
  { title: 'a text that is no YAML', by: 'openapi: 3.1.0\ninfo: { title: x▸\n', what: /is not YAML/u },
  { title: 'a key given twice', part: 'info:', by: 'info: {}\n▸info:', what: /is not YAML.*unique/u },
  { title: 'an alias bomb', by: bomb.join('\n'), what: /alias/iu },
  { title: 'a list', by: '▸- openapi\n', pointer: '#', what: /not an OpenAPI document/u },
  { title: 'a word', by: '▸openapi\n', pointer: '#', what: /not an OpenAPI document/u },
  { title: 'no version', part: 'openapi: 3.1.0\n', by: '▸', pointer: '#', what: /no `openapi`/u },
  { title: 'Swagger 2', part: 'openapi: 3.1.0', by: "swagger: ▸'2.0'", pointer: '#/swagger', what: /Swagger 2/u },
  { title: 'OpenAPI 4', part: '3.1.0', by: '▸4.0.0', pointer: '#/openapi', what: /"4\.0\.0"/u },
  { title: 'a version that is a number', part: '3.1.0', by: '▸3.1', pointer: '#/openapi', what: /3\.1\b/u },
  { title: 'no paths', part: `paths:\n${operations}`, by: '', pointer: '#', what: /no `paths`/u },
  {
    title: 'paths without any',
    part: `paths:\n${operations}`,
    by: '▸paths: {}\n',
    pointer: '#/paths',
    what: /no operations/u,
  },
  {
    title: 'paths without operations',
    part: `paths:\n${operations}`,
    by: '▸paths: { /insights: {} }\n',
    pointer: '#/paths',
    what: /no operations/u,
  },
  {
    title: 'a path without a slash',
    part: '  /insights:',
    by: '  ▸insights:',
    pointer: '#/paths/insights',
    what: /"insights" does not start with a slash/u,
  },
  {
    title: 'a method misspelt',
    part: 'get:',
    by: '▸gett:',
    pointer: '#/paths/~1insights/gett',
    what: /"gett" is not a method/u,
  },
  {
    title: 'a regular expression that is none',
    part: "'^[a-z-]+$'",
    by: "▸'^[a-z-+$'",
    pointer: `${remove}/parameters/0/schema/pattern`,
    what: /not a regular expression/u,
  },
  {
    title: 'a type that there is not',
    part: 'integer',
    by: '▸int32',
    pointer: `${limit}/schema/type`,
    what: /type is "int32"/u,
  },
  {
    title: 'a minimum in quotes',
    part: 'minimum: 1',
    by: "minimum: ▸'1'",
    pointer: `${limit}/schema/minimum`,
    what: /minimum is "1".*number/u,
  },
  {
    title: 'required as a flag',
    part: 'required: [content]',
    by: 'required: ▸true',
    pointer: `${schemas}/Insight/required`,
    what: /required is true.*array/u,
  },
  {
    title: 'an enum of one word',
    part: 'id: { type: string }',
    by: 'id: { enum: ▸"x" }',
    pointer: `${schemas}/Insight/properties/id/enum`,
    what: /enum is "x".*array/u,
  },
  {
    title: 'a keyword misspelt',
    part: 'required: [content]',
    by: '▸requred: [content]',
    pointer: `${schemas}/Insight/requred`,
    what: /"requred" is not a keyword/u,
  },
  {
    title: 'a keyword that Prism ignores',
    part: 'type: array, items:',
    by: 'type: array, ▸prefixItems: [{ type: object }], items:',
    pointer: `${list}/responses/200/content/application~1json/schema/prefixItems`,
    what: /"prefixItems" is not a keyword that is checked/u,
  },
  {
    title: 'a format that is not checked',
    part: 'date-time',
    by: '▸datetime',
    pointer: `${schemas}/Insight/properties/created/format`,
    what: /format "datetime"/u,
  },
  {
    title: 'a schema that is a list',
    part: 'id: { type: string }',
    by: 'id: ▸[string]',
    pointer: `${schemas}/Insight/properties/id`,
    what: /is not a schema/u,
  },
  {
    title: 'a security scheme that is not defined',
    part: '[{ bearer: [] }]',
    by: '[{ ▸token: [] }]',
    pointer: '#/components/securitySchemes/token',
    what: /"token" is not defined/u,
  },
  {
    title: 'a security scheme misspelt',
    part: 'bearer: { type: http, scheme: bearer }',
    by: 'bearer: ▸{ type: http, scheme: baerer }',
    pointer: '#/components/securitySchemes/bearer',
    what: /not HTTP bearer/u,
  },
  {
    title: 'an API key',
    part: 'bearer: { type: http, scheme: bearer }',
    by: 'bearer: ▸{ type: apiKey, in: header, name: x }',
    pointer: '#/components/securitySchemes/bearer',
    what: /not HTTP bearer/u,
  },
  {
    title: 'a reference to nothing',
    part: "'#/components/schemas/Insight'",
    by: "▸'#/components/schemas/Insigth'",
    pointer: `${list}/responses/200/content/application~1json/schema/items/$ref`,
    what: /Insigth" points at nothing/u,
  },
  {
    title: 'a reference to itself',
    part: 'id: { type: string }',
    by: "id: { $ref: ▸'#/components/schemas/Insight/properties/id' }",
    pointer: `${schemas}/Insight/properties/id/$ref`,
    what: /leads back to itself/u,
  },
  {
    title: 'a reference to another file',
    part: "'#/components/schemas/Insight'",
    by: '▸other.yaml',
    pointer: `${list}/responses/200/content/application~1json/schema/items/$ref`,
    what: /"other\.yaml" points outside/u,
  },
  {
    title: 'a reference into the web',
    part: "'#/components/schemas/Insight'",
    by: '▸https://example.com/insight.json',
    pointer: `${list}/responses/200/content/application~1json/schema/items/$ref`,
    what: /points outside/u,
  },
  {
    title: 'a body without a schema',
    part: "application/json:\n              schema: { type: array, items: { $ref: '#/components/schemas/Insight' } }",
    by: '▸application/json: {}',
    pointer: `${list}/responses/200/content/application~1json`,
    what: /has no schema/u,
  },
  {
    title: 'a media type that is none',
    part: 'application/json:',
    by: '▸json:',
    pointer: `${list}/responses/200/content/json`,
    what: /"json" is not a media type/u,
  },
  {
    title: 'a status that is none',
    part: "'204': {",
    by: "▸'20': {",
    pointer: `${remove}/responses/20`,
    what: /"20" is not a status/u,
  },
  { title: 'no status for success', part: "'204': {", by: "'404': {", pointer: `${remove}/responses`, what: /no 2xx/u },
  {
    title: 'no replies',
    part: "      responses:\n        '204': { description: Deleted. }\n",
    by: '',
    pointer: remove,
    what: /documents no responses/u,
  },
  { title: 'a cookie parameter', part: 'in: query', by: 'in: ▸cookie', pointer: `${limit}/in`, what: /cookie/u },
  {
    title: 'a parameter at no place',
    part: '{ name: limit, in: query',
    by: '▸{ name: limit, in: body',
    pointer: limit,
    what: /"body"/u,
  },
  {
    title: 'a parameter without a schema',
    part: '{ name: limit, in: query, schema: { type: integer, minimum: 1 } }',
    by: '▸{ name: limit, in: query }',
    pointer: limit,
    what: /has no schema/u,
  },
  {
    title: 'a path parameter that is not required',
    part: '{ name: id, in: path, required: true,',
    by: '▸{ name: id, in: path,',
    pointer: `${remove}/parameters/0`,
    what: /always required/u,
  },
  {
    title: 'a path parameter that is not declared',
    part: "    delete:\n      operationId: deleteInsight\n      parameters:\n        - { name: id, in: path, required: true, schema: { type: string, pattern: '^[a-z-]+$' } }",
    by: '    ▸delete:\n      operationId: deleteInsight',
    pointer: remove,
    what: /"id" is not declared/u,
  },
  {
    title: 'an operationId given twice',
    part: 'deleteInsight',
    by: '▸listInsights',
    pointer: `${remove}/operationId`,
    what: /"listInsights" is taken/u,
  },
  {
    title: 'an operation without an operationId',
    part: '    delete:\n      operationId: deleteInsight\n',
    by: '    ▸delete:\n',
    pointer: remove,
    what: /no operationId/u,
  },
  {
    title: 'no operation for a handler',
    part: 'paths:\n',
    by: '▸paths:\n',
    pointer: '#/paths',
    what: /no operation deleteInsight/u,
  },
  {
    title: 'no Insight',
    part: 'components:\n',
    by: '▸components:\n',
    pointer: '#/components/schemas',
    what: /components\.schemas\.Insight/u,
  },
  {
    title: 'a path of the control plane',
    part: 'components:\n',
    by: '',
    pointer: '#/paths/~1__admin~1x',
    what: /\/__admin\/x/u,
  },
]
