/** Requests to the features of OpenAPI: the legal and illegal ones of the table, mixed and changed. */
import type { Attempt, Feature } from '../helpers/openapi-features/feature.js'
import { featureRequest, features, hasBody, versionOf } from '../helpers/openapi-features/spec.js'
import type { RandomChoices } from './random-choices.js'
import type { FuzzRequest } from './requests.js'

/** The specs, each with its version of OpenAPI and its features. */
export const featureSpecs = {
  'openapi-3.0': { version: '3.0.4', has: () => true },
  'openapi-3.1-parameters': { version: '3.1.1', has: (feature: Feature) => !hasBody(feature) },
  'openapi-3.1-bodies': { version: '3.1.1', has: hasBody },
} as const

/** Creates a function that makes requests to the features of a spec. */
export function makeFeatureRequests(name: keyof typeof featureSpecs): (chance: RandomChoices) => FuzzRequest {
  const { has, version } = featureSpecs[name]
  const own = features.filter((feature) => versionOf(feature) === version && has(feature))
  return (chance) => {
    const feature = chance.pick(own)
    const attempts = [...feature.legal, ...feature.illegal]
    const attempt = chance.happens(0.1) ? mixed(chance, attempts) : chance.pick(attempts)
    const sent = featureRequest(feature, chance.happens(0.3) ? attempt : changed(chance, attempt))
    return { ...sent, isControl: false, fate: 'either' }
  }
}

/** Combines the header fields of one attempt with the rest of another. */
const mixed = (chance: RandomChoices, attempts: readonly Attempt[]): Attempt => ({
  ...chance.pick(attempts),
  ...(chance.happens(0.5) ? { headers: chance.pick(attempts).headers ?? [] } : {}),
})

/** An attempt with one of its parts changed. */
function changed(chance: RandomChoices, attempt: Attempt): Attempt {
  const { body, headers = [], path, query } = attempt
  const parts: Attempt[] = []
  if (path !== undefined) parts.push({ path: changedText(chance, path) || '0' })
  if (query !== undefined) parts.push({ query: changedText(chance, query) })
  if (headers.length > 0) parts.push({ headers: headers.map((field) => changedField(chance, field)) })
  // Bodies twice, because they are the longest part.
  if (body !== undefined) for (let times = 0; times < 2; times++) parts.push({ body: changedBytes(chance, body) })
  return parts.length === 0 ? { ...attempt, query: changedText(chance, 'p=1') } : { ...attempt, ...chance.pick(parts) }
}

const marks =
  '& = , ; | [ ] { } . : + - * ~ / ? " \\ % %25 %20 %2C %7C %5B %26 %3D %00 %ff %E0%A4%A %F0%9F%8C%B1 p q[ [p] p[x]= &p= &p=1 null true 1e999 -0 9007199254740993 __proto__ constructor'.split(
    ' ',
  )

/** Changes text in one to three places. Adds no character that ends the request line or the field. */
function changedText(chance: RandomChoices, text: string): string {
  let result = text
  for (let left = 1 + chance.below(3); left > 0; left--) {
    const at = chance.below(result.length + 1)
    const to = Math.min(result.length, at + chance.below(4))
    const middle = chance.happens(0.2) ? result.slice(at, to).repeat(chance.pick([0, 2, 50])) : chance.pick(marks)
    result = result.slice(0, at) + middle + result.slice(to)
  }
  return result.replaceAll(' ', '%20')
}

/** Changes the value of a header field. */
function changedField(chance: RandomChoices, field: string): string {
  const at = field.indexOf(':') + 1
  return field.slice(0, at) + changedText(chance, field.slice(at)).replaceAll('%20', ' ')
}

/** Changes bytes in one to three places. */
function changedBytes(chance: RandomChoices, body: string | Uint8Array): Buffer {
  let result = Buffer.from(body)
  for (let left = 1 + chance.below(3); left > 0; left--) {
    const at = chance.below(result.length + 1)
    const to = Math.min(result.length, at + chance.below(8))
    const added = chance.pick([...marks, '\r\n', '\r\n\r\n', '--', '\u0000', '\u00ff', '[[[[', '{"a":', '\\ud800'])
    const middle = chance.happens(0.2) ? Buffer.alloc(0) : Buffer.from(added, 'latin1')
    result = Buffer.concat([result.subarray(0, at), middle, result.subarray(to)])
  }
  return result
}
