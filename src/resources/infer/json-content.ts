/** Finds the JSON content of a body. */
import type { JsonObject } from '../../documents/object.js'
import type { Content } from '../contract-view.js'

/** A JSON body. */
export interface JsonContent {
  /** Media type of the body. */
  readonly mediaType: string
  readonly schema: JsonObject
}

/** Tells whether a media type is JSON that the double can create. JSON Patch, JSON lines and sequences are not. */
function isJson(mediaType: string): boolean {
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || type === '*/*' || type === 'application/*' || isSuffixed(type)
}

const isSuffixed = (type: string): boolean =>
  type.endsWith('+json') && type !== 'application/json-patch+json' && type !== 'application/problem+json'

/** Finds the JSON content of a body: `application/json` if it is documented, else the first. */
export function jsonContentOf(content: Content): JsonContent | undefined {
  const found = [...content].filter(([mediaType]) => isJson(mediaType))
  const [mediaType, schema] = found.find(([type]) => type.startsWith('application/json')) ?? found[0] ?? []
  if (mediaType === undefined || schema === undefined) return undefined
  return { mediaType: mediaType.includes('*') ? 'application/json' : mediaType, schema }
}
