/** Reports errors in the media types of a body, and the schemas that are not enforced. */
import { isObject } from '../../documents/object.js'
import { isEnforced } from '../media-types.js'
import type { Cursor } from '../references.js'
import { lintFields } from './findings.js'
import { lintAndRewriteSchema, type SchemaWalk } from './lint-schema.js'

const mediaTypePattern =
  /^(?:[\w!#$&^.+-]+\/(?:[\w!#$&^.+-]+|\*)|\*\/\*)(?:\s*;\s*[\w!#$&^.+-]+=(?:[^\s;"]+|"[^"]*"))*;?$/u

/** Reports errors in the `content` of a request body or a response. */
export function lintContent(content: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  if (content.value !== undefined && !isObject(content.value))
    return refuse(
      content,
      'is not a map of media types',
      'write media types, such as application/json, with their schemas',
    )
  for (const [mediaType, media] of content.children()) {
    const at = [...content.path, mediaType]
    if (!mediaTypePattern.test(mediaType))
      refuse(at, `"${mediaType}" is not a media type`, 'write it as type/subtype, such as application/json', 'key')
    if (!lintFields('a media type', media, walk.findings)) continue
    const isSequence = media.at('itemSchema').value !== undefined
    if (isSequence) {
      const what = `itemSchema of ${mediaType} is not enforced`
      note([...media.path, 'itemSchema'], what, 'no action is needed: bodies are sent as they are', 'key')
    }
    useDataValues(media)
    const schema = media.at('schema')
    // A key without a value is null in YAML.
    if (schema.value === undefined || schema.value === null) {
      // Binary content needs no schema.
      if (!isSequence && !/^(?:audio|font|image|video)\/|octet-stream|pdf|zip/iu.test(mediaType))
        note(at, 'has no schema, so any body is valid', 'add a schema; `schema: {}` allows any body explicitly', 'key')
      continue
    }
    lintAndRewriteSchema(schema, walk)
    if (!isEnforced(mediaType, schema.value))
      note(at, `the schema of ${mediaType} is not enforced`, 'use JSON if the body must be validated', 'key')
  }
}

/** Writes the `dataValue` of examples (OpenAPI 3.2) as `value`, which Prism knows. */
function useDataValues(media: Cursor): void {
  for (const [, { value }] of media.at('examples').children())
    // The document is a copy, so it may be changed.
    if (isObject(value) && Object.hasOwn(value, 'dataValue')) Object.assign(value, { value: value['dataValue'] })
}
