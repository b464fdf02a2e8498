/** Finds the JSON content of a body. */
import { essenceOf, jsonTypeIn } from '../../contract/bodies/media-types.js'
import type { Content } from '../../contract/contract.js'

/** JSON that the double cannot create from a record. */
const otherJson: ReadonlySet<string> = new Set(['application/json-patch+json', 'application/problem+json'])

/** Finds the JSON content of a body, with its concrete media type: `application/json` if it is documented, else the first. */
export function jsonContentOf(contents: readonly Content[]): Content | undefined {
  const found = contents.flatMap(({ mediaType: documented, schema }) => {
    const mediaType = jsonTypeIn(documented)
    return mediaType === undefined || otherJson.has(essenceOf(mediaType)) ? [] : [{ documented, mediaType, schema }]
  })
  return found.find(({ documented }) => documented.startsWith('application/json')) ?? found[0]
}
