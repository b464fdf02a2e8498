import test from 'ava'

import { problemsOf, refuses, sound } from './helpers/untrusted-spec.js'

const list = '#/paths/~1insights/get'
const limit = '#/paths/~1insights/get/parameters/0'
const remove = '#/paths/~1insights~1{id}/delete'
const schemas = '#/components/schemas'

refuses(test, [
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
    title: 'a schema that is a list',
    part: 'id: { type: string }',
    by: 'id: ▸[string]',
    pointer: `${schemas}/Insight/properties/id`,
    what: /is not a schema/u,
  },
  {
    title: 'a media type that is none',
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
])

type Replaced = readonly (readonly [part: string, by: string])[]

const inListing = "{ $ref: '#/components/schemas/Insight' }"
/** What is wrong with a schema only once it is put together. Prism would take each, and check nothing by it. */
const uncheckable: readonly (readonly [title: string, ...Replaced])[] = [
  ['a title that is a number beside a $ref', [inListing, inListing.replace(' }', ', title: 5 }')]],
  ['a choice of nothing', ['id: { type: string }', 'id: { anyOf: [] }']],
]
for (const [title, ...replaced] of uncheckable) {
  test(`a spec with ${title} stops the start`, async (t) => {
    const changed = replaced.reduce((text, [part, by]) => text.replace(part, by), sound)
    const problems = await problemsOf(t, changed)
    t.true(problems.length > 0)
    for (const { what } of problems) t.regex(what, /has a schema that does not compile: \S/u)
  })
}
