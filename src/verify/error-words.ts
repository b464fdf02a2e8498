/** Finds the words of the service for errors, as bodies that `x-double` gives to a response. */
import { isDeepStrictEqual } from 'node:util'

import { decodePercent } from '../addresses.js'
import { operationCursor } from '../contract/spec-places.js'
import { updateAction } from '../contract/write-overlay.js'
import { groupBy, listOf, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { valueAt } from '../documents/pointer.js'
import { fillPlaces, toTemplate } from '../documents/text-template.js'
import { listNames } from '../error-message.js'
import { type ErrorPlaces, isErrorPlace } from '../http-errors.js'
import { contentOf } from './describe-response.js'
import type { Edit } from './edit.js'
import { brokenIn, differenceKey, errorOf } from './edits.js'
import { type AnsweredStep, toRequest } from './run-probes.js'
import type { Verification } from './verify.js'

/** The most notes about words. */
const maxNotes = 12

/** Says in sentences which words of errors differ, the most frequent first. */
export function describeErrorWords(run: Pick<Verification, 'context' | 'results'>): readonly string[] {
  const byWords = groupBy(findErrorWords(run, []), ({ status, template }) => `${status} ${JSON.stringify(template)}`)
  return [...byWords]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, maxNotes)
    .map(([words, found]) => {
      const names = listNames([...new Set(found.map(({ operation }) => operation))], 3)
      return `The service has other words for this error, which --apply takes over: ${words.slice(0, 200)} (${names}).`
    })
}

/**
 * Writes the words of the service for errors as actions of an overlay.
 * @param edits - Those that are written.
 */
export function errorWords(run: Pick<Verification, 'context' | 'results'>, edits: readonly Edit[]) {
  return findErrorWords(run, edits).map(({ isKnown, name, responses, service, status, template }) => {
    const its = isKnown ? {} : { description: 'The response of the service.', content: contentOf(service) }
    return updateAction(responses, { [status]: { ...its, 'x-double': { [name]: template } } })
  })
}

/** Finds the words of all requests that get an error with the status of the service, by now or with the edits. */
function findErrorWords(
  { context: { contract, nonce }, results }: Pick<Verification, 'context' | 'results'>,
  edits: readonly Edit[],
) {
  const isStated = (key: string, name: string): boolean =>
    edits.some(({ answers, fixes }) => answers === name && fixes.includes(key))
  const said = results.flatMap(({ created, differences, probe, steps }) =>
    steps.flatMap(({ double, service, step }) => {
      if (!('status' in double) || !('status' in service) || !step.probed || service.status < 400) return []
      const name = errorOf(double)
      if (name === undefined) return []
      const { operation } = step.probed
      const other = differences.find(({ at, part }) => at.step === step && part === 'status')
      const isReached = other ? isStated(differenceKey(probe.name, other), name) : double.status === service.status
      if (!isReached || step.method !== operation.method) return []
      const status = String(service.status)
      // Other operations may have the same response, and answer the error otherwise.
      const responses = [...operationCursor(contract, operation).path, 'responses']
      const isDocumented = operation.responses.some((each) => each.status === status)
      const bodies = [service, double].map(({ json, text }) => json ?? text)
      const [body, words] = bodies.map(withoutNow)
      const places = placesOf({ double, service, step }, created[0])
      return {
        operation: operation.id,
        name,
        status,
        responses,
        isKnown: isDocumented || other !== undefined,
        service,
        body,
        places,
        isEqual: isDeepStrictEqual(body, words),
        template: withoutNow(
          toTemplate(
            bodies[0],
            (['value', 'id', 'name'] as const).map((place) => [place, places[place] ?? '']),
          ),
        ),
      }
    }),
  )
  return [
    ...groupBy(said, ({ name, responses, status }) => JSON.stringify([responses, status, name])).values(),
  ].flatMap((group) => {
    const countOf = ({ template }: (typeof group)[number]): number =>
      group.filter(({ body, places }) => isDeepStrictEqual(withoutNow(fillPlaces(template, placeIn(places))), body))
        .length
    const [found] = group.toSorted((one, other) => countOf(other) - countOf(one))
    // Most requests must agree. A name that a probe made up is another one each time.
    const isOnce = JSON.stringify(found?.template ?? '').includes(nonce)
    return isOnce || !found || countOf(found) * 2 <= group.length || group.every(({ isEqual }) => isEqual)
      ? []
      : [found]
  })
}

/** Puts `{uuid}` and `{now}` in place of what is another one each time. */
const withoutNow = (body: unknown): unknown =>
  jsonIn(
    (JSON.stringify(body) ?? '')
      .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/giu, '{uuid}')
      .replaceAll(/(?<=")\d{4}-\d\d-\d\dT[\d:.]+Z(?=")/gu, '{now}'),
  )

const placeIn = (places: ErrorPlaces) => (name: string) =>
  isErrorPlace(name) ? { uuid: '{uuid}', now: '{now}', ...places }[name] : `{${name}}`

/** Returns the name of what an error of the double is about, what was sent, and the id in the path or the body. @param created - The id of the record that the probe has created. */
function placesOf({ double, step }: AnsweredStep, created = ''): ErrorPlaces {
  const { code, location } = objectOf(brokenIn(double))
  const [, where, ...path] = listOf(location).filter((each) => typeof each === 'string')
  const { body: text = '', headers, target } = toRequest(step, String, created)
  const body = jsonIn(text)
  const [inPath = '', ...inBody] = step.probed?.operation.path.endsWith('}')
    ? [decodePercent(target.split('?')[0]?.split('/').at(-1) ?? '')]
    : ['', objectOf(body)[step.probed?.collection?.model.idProperty ?? ''], objectOf(body)['name']]
  const id = inPath === '' ? inBody.find((each) => typeof each === 'string' && each !== '') : inPath
  const sent: Readonly<Record<string, unknown>> = {
    body: valueAt(body, path),
    headers: headers[String(path[0])],
    path: inPath,
  }
  const value = sent[String(where)] ?? step.parameter?.value
  const shown = typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
  const inside = code === 'required' ? step.parameter?.name : where === 'body' ? path.at(-1) : path[0]
  // The double knows no name in a body that it cannot read.
  const isRead = /^(?:invalid_request|missing_body)$/u.test(double.headers['x-error-code'] ?? '')
  const name = inside ?? (isRead && code !== 'required' ? where : undefined)
  return Object.fromEntries(Object.entries({ name, value: shown, id }).filter(([, each]) => typeof each === 'string'))
}
