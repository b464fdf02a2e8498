/** Requests to the features of OpenAPI: the legal and illegal ones of the table, mixed and changed. */
import fc from 'fast-check'

import { type Attempt, type Feature, featureRequest, features, hasBody } from '../helpers/openapi-features.js'
import { changes, happens, words } from './arbitraries.js'
import type { FuzzRequest } from './requests.js'

/** The specs, each with its version of OpenAPI and its features. */
export const featureSpecs = {
  'openapi-3.0': { version: '3.0.4', has: () => true },
  'openapi-3.1-parameters': { version: '3.1.1', has: (feature: Feature) => !hasBody(feature) },
  'openapi-3.1-bodies': { version: '3.1.1', has: hasBody },
} as const

/** Requests to the features of a spec. Some combine the header fields of one attempt with the rest of another. */
export function featureRequests(name: keyof typeof featureSpecs): fc.Arbitrary<FuzzRequest> {
  const { has, version } = featureSpecs[name]
  const own = features.filter((feature) => feature.version === version && has(feature))
  return fc
    .constantFrom(...own)
    .chain((feature) => {
      const attempt = fc.constantFrom(...feature.legal, ...feature.illegal)
      const mixed = fc.tuple(attempt, attempt).map(([one, { headers = [] }]) => ({ ...one, headers }))
      const either = fc.oneof({ weight: 19, arbitrary: attempt }, { weight: 1, arbitrary: mixed })
      return fc.tuple(fc.constant(feature), either, happens(30), changes(marks), changes(byteMarks), fc.nat())
    })
    .map(([feature, attempt, isUnchanged, change, changeBytes, which]) => {
      const sent = isUnchanged ? attempt : changed(attempt, change, changeBytes, which)
      return { ...featureRequest(feature, sent), isControl: false, fate: 'either' }
    })
}

const marks = words(
  '& = , ; | [ ] { } . : + - * ~ / ? " \\ % %25 %20 %2C %7C %5B %26 %3D %00 %ff %E0%A4%A %F0%9F%8C%B1 p q[ [p] p[x]= &p= &p=1 null true 1e999 -0 9007199254740993 __proto__ constructor',
)
const breaks = fc.constantFrom('\r\n', '\r\n\r\n', '--', '\u0000', '\u00ff', '[[[[', '{"a":', '\\ud800')
const byteMarks = fc.oneof(marks, breaks)

type Change = (text: string) => string

/** An attempt with one of its parts changed. Adds no character that ends the request line or the field. */
function changed(attempt: Attempt, change: Change, changeBytes: Change, which: number): Attempt {
  const { body, headers = [], path, query } = attempt
  const encoded = (text: string): string => change(text).replaceAll(' ', '%20')
  const parts: Attempt[] = []
  if (path !== undefined) parts.push({ path: encoded(path) || '0' })
  if (query !== undefined) parts.push({ query: encoded(query) })
  if (headers.length > 0)
    parts.push({
      headers: headers.map((field) => field.replace(/:(.*)$/su, (_, value: string) => `:${change(value)}`)),
    })
  if (body !== undefined) {
    const part = { body: Buffer.from(changeBytes(Buffer.from(body).toString('latin1')), 'latin1') }
    // Twice, because a body is the longest part.
    parts.push(part, part)
  }
  return parts.length === 0 ? { ...attempt, query: encoded('p=1') } : { ...attempt, ...parts[which % parts.length] }
}
