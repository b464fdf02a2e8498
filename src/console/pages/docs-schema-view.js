/** Describes schemas in words. A reference to a named schema is a link, so a recursive schema ends. */
import { assumption, prose } from './docs-descriptions.js'
import { exampleText } from './docs-find-examples.js'
import { nameOfRef, resolve } from './docs-resolve-reference.js'
import { make } from './dom.js'

/** Returns the anchor of a named schema. */
export const schemaAnchor = (contract, name) => `${contract}-schema-${name}`

const combinations = { allOf: 'All of', anyOf: 'Any of', oneOf: 'One of' }

/** Creates the view of a schema, with its properties and decisions. */
export function schemaView(place, schema) {
  const { additionalProperties, description, items, properties = {}, required = [] } = schema
  const further = typeof additionalProperties === 'object' ? [['any other name', additionalProperties]] : []
  const fields = [...Object.entries(properties), ...further]
  return make(
    'div',
    { class: 'stack' },
    description && make('p', {}, prose(description)),
    typeView(place, schema),
    assumption(schema),
    fields.length > 0 &&
      make(
        'dl',
        { class: 'items' },
        ...fields.flatMap(([name, field]) => [
          make(
            'dt',
            {},
            make('code', {}, name),
            make('span', { class: 'quiet' }, required.includes(name) ? 'required' : 'optional'),
          ),
          make('dd', {}, schemaView(place, field)),
        ]),
      ),
    // A named or simple item schema is in the line of the type.
    isLarge(items) &&
      make('div', { class: 'stack' }, make('p', { class: 'quiet' }, 'Each item:'), schemaView(place, items)),
    ...Object.entries(combinations).flatMap(([key, words]) =>
      schema[key] === undefined
        ? []
        : [make('p', { class: 'quiet' }, `${words}:`), ...schema[key].map((part) => schemaView(place, part))],
    ),
  )
}

/** Creates one line with the type and the rules of a schema. */
export function typeView(place, schema) {
  const rules = rulesOf(place.document, schema)
  return make('p', { class: 'quiet' }, ...typeOf(place, schema), ...rules.flatMap((rule) => ['; ', rule]))
}

const isLarge = (items) => items?.properties !== undefined || items?.['x-assumption'] !== undefined

/** Describes a type in words, with links to named schemas. */
function typeOf(place, schema) {
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema.$ref)
    return [make('a', { href: `#${schemaAnchor(place.name, name)}` }, name)]
  }
  const types = [schema.type ?? (schema.properties ? 'object' : 'any value')].flat()
  const words = types.map((type) => (schema.format ? `${type} (${schema.format})` : type)).join(' or ')
  return schema.items === undefined ? [words] : [`${words} of `, ...typeOf(place, schema.items)]
}

/** Describes the rules of a schema other than its type. */
function rulesOf(document, schema) {
  const resolved = resolve(document, schema)
  // The rules of a named object are shown with its properties.
  const isElsewhere = schema.$ref !== undefined && resolved.properties !== undefined
  const rules = isElsewhere ? schema : resolved
  const descriptions = [
    ['const', (value) => ['always ', code(exampleText(value))]],
    [
      'enum',
      (values) => ['one of ', ...values.flatMap((value, index) => [index > 0 && ', ', code(exampleText(value))])],
    ],
    ['minimum', (value) => [`at least ${number(value)}`]],
    ['exclusiveMinimum', (value) => [`more than ${number(value)}`]],
    ['maximum', (value) => [`at most ${number(value)}`]],
    ['exclusiveMaximum', (value) => [`less than ${number(value)}`]],
    ['multipleOf', (value) => [`a multiple of ${number(value)}`]],
    ['minLength', (value) => [`at least ${number(value)} characters`]],
    ['maxLength', (value) => [`at most ${number(value)} characters`]],
    ['pattern', (value) => ['matches ', code(value)]],
    ['minItems', (value) => [`at least ${number(value)} items`]],
    ['maxItems', (value) => [`at most ${number(value)} items`]],
    ['uniqueItems', (value) => value && ['unique items']],
    ['minProperties', (value) => [`at least ${number(value)} properties`]],
    ['maxProperties', (value) => [`at most ${number(value)} properties`]],
    ['propertyNames', (value) => value.pattern && ['names match ', code(value.pattern)]],
    ['additionalProperties', (value) => value === false && ['no other properties']],
    ['readOnly', (value) => value && ['sent by the service only']],
    ['writeOnly', (value) => value && ['sent to the service only']],
    ['deprecated', (value) => value && ['deprecated']],
    ['default', (value) => ['default ', code(exampleText(value))]],
  ]
  return descriptions
    .filter(([key]) => rules[key] !== undefined)
    .map(([key, words]) => words(rules[key]))
    .filter(Boolean)
    .map((words) => make('span', {}, ...words))
}

const code = (text) => make('code', {}, text)

const number = (value) =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 20 }) : String(value)
