/** Keeps what was seen of a service in files: a manifest, the records, and one file of JSON Lines for each operation. */
import { hash } from 'node:crypto'

import type { Json } from '../contract/contract.js'
import { essenceOf } from '../contract/media-types.js'
import { objectsIn } from '../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, objectAt, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { attempt } from '../error-message.js'
import { sanitise } from '../pull/create-fixture-text.js'
import { standInToken } from '../pull/requests.js'
import { type Exchange, RunError } from '../pull/service-client.js'
import type { Service } from '../resources/load-service.js'
import { createNoise } from './differences.js'
import type { ProbeRun } from './evaluate-probes.js'
import { createProbeContext } from './probe-context.js'
import type { Probe, ProbeStep } from './probe.js'
import { type Answer, notSent, type SentProbe } from './run-probes.js'

const format = 1

const maxBodyBytes = 64 * 1024

/** The text of each file by its name. */
export type EvidenceFiles = ReadonlyMap<string, string>

/** The first line about a probe. The lines after it are its exchanges. */
interface RecordedProbe extends Omit<Probe, 'name' | 'steps'>, Pick<SentProbe, 'copied' | 'stopped'> {
  readonly probe: string
  /** As JSON: operations by their ids, and credentials of stand-ins. */
  readonly steps: readonly JsonObject[]
  /** The result of the run, where the replaced values would give another. */
  readonly verdict?: string | undefined
}

type RecordedAnswer = Pick<Answer, 'request'> & { readonly response: JsonObject }

export type Evidence = ReturnType<typeof readEvidence>

/** Header fields whose values are compared, and are no secrets. */
const keptHeaders = new Set(['access-control-allow-origin', 'content-type', 'www-authenticate'])

/** Creates the files of a run. @param verdicts - The verdicts to keep. */
export function createEvidence(
  { context, noise, sent, url }: ProbeRun & { readonly url: string },
  { contract, resources }: Service,
  isSanitised: boolean,
  verdicts: ReadonlyMap<string, string> = new Map(),
): EvidenceFiles {
  const { pulled } = context
  const standIn = (name: string): string => standInToken(contract, name)
  const bodies = sent.flatMap(({ answers, copied, probe: { operation = '', steps } }) => {
    const planned = steps.flatMap(({ body = '', otherBodies = [], variants = [] }) =>
      [body, ...otherBodies, ...variants].map(jsonIn),
    )
    const given = answers.flatMap(({ request, service }) => {
      return [jsonIn(request.body ?? ''), 'failure' in service ? undefined : service.json]
    })
    return [...planned, ...given, copied].map((value) => [value, operation] as const)
  })
  // What is no data: names of properties and parameters, values of `enum` and `const`.
  const ofContract = [...objectsIn(contract.document)].flatMap(
    ({ const: constant, enum: values, name, properties }) => {
      return [constant, name, ...listOf(values), ...Object.keys(objectOf(properties))]
    },
  )
  const collections = resources.collections.map(({ name }) => name)
  const others = { bodies, fixed: new Set([...ofContract, ...collections, ...context.callers]) }
  const sanitised = isSanitised ? sanitise(pulled.document, resources, [], others) : undefined
  const replace = (value: unknown): unknown => (sanitised ? sanitised.replace(value) : value)
  const sentBody = (text: string): string => {
    const json = jsonIn(text)
    return json === undefined ? text : JSON.stringify(replace(json))
  }
  // A number or a flag of a query is no value of a person, and a cap or a page would mean something else.
  const target = (path: string): string =>
    path.replaceAll(/[^/?&=]+/gu, (part, at: number) =>
      path.slice(0, at).includes('?') && /^(?:[\d.+-]*|true|false)$/u.test(part) ? part : replaceEncoded(part, replace),
    )
  const toSteps = (planned: readonly ProbeStep[]): readonly JsonObject[] =>
    JSON.parse(
      JSON.stringify(planned, (key, value: unknown) => {
        if (key === 'credential') return (value as ProbeStep['credential'])(standIn)
        if (key === 'probed') return (value as ProbeStep['probed'])?.operation.id
        if (key === 'target') return target(String(value))
        // The value of a parameter.
        if (key === 'value') return target(`?${String(value)}`).slice(1)
        if (key === 'knownIds')
          return listOf(value).map((id) => decodeURIComponent(target(encodeURIComponent(String(id)))))
        if (key === 'body') return sentBody(String(value))
        return key === 'otherBodies' || key === 'variants' ? listOf(value).map((each) => sentBody(String(each))) : value
      }),
    ) as readonly JsonObject[]
  const toLine = ({ request: { body, method, target: path }, service }: Answer): JsonObject => {
    const request = { method, target: target(path), ...(body === undefined ? {} : { body: sentBody(body) }) }
    if ('failure' in service) return { request, response: service }
    const headers = Object.entries(service.headers).map(([name, value]) => {
      const shown = name === 'location' ? target(value) : '-'
      return [name, keptHeaders.has(name) ? value : shown]
    })
    const isWhole = service.json !== undefined && Buffer.byteLength(service.text) <= maxBodyBytes
    const content = isWhole ? { json: replace(service.json) } : { isText: service.text !== '' }
    return { request, response: { status: service.status, headers: Object.fromEntries(headers), ...content } }
  }
  const files = new Map([['records.json', `${JSON.stringify(sanitised?.document ?? pulled.document, null, 1)}\n`]])
  const asked = sent.filter(({ answers }) => answers.length > 0)
  for (const { answers, copied, probe, stopped } of asked) {
    const { name, operation = 'service', steps } = probe
    const about = { probe: name, ...probe, name: undefined, stopped }
    // The tokens are stand-ins already, and the requests have them.
    const kept = copied && { ...objectOf(replace(copied)), $callers: copied.$callers }
    const head = { ...about, copied: kept, verdict: verdicts.get(name), steps: toSteps(steps) }
    const file = `${operation.replaceAll(/[^\w.-]+/gu, '_')}.jsonl`
    const lines = [head, ...answers.map(toLine)].map((line) => `${JSON.stringify(line)}\n`)
    files.set(file, (files.get(file) ?? '') + lines.join(''))
  }
  const manifest = {
    format,
    recordedAt: new Date().toISOString(),
    service: url,
    contract: objectAt(contract.document, 'info'),
    isSanitised,
    callers: context.callers,
    leftOut: pulled.leftOut.map(({ collection, id }) => {
      return { collection, id: id && JSON.stringify(replace(JSON.parse(id))) }
    }),
    noise,
    probes: asked.map(({ probe }) => probe.name),
    files: Object.fromEntries([...files].map(([name, text]) => [name, hash('sha256', text)])),
  }
  return files.set('manifest.json', `${JSON.stringify(manifest, null, 1)}\n`)
}

/** Replaces a percent-encoded part of a target. Leaves one that cannot be decoded. */
const replaceEncoded = (part: string, replace: (value: unknown) => unknown): string =>
  attempt(() => {
    const text = decodeURIComponent(part)
    const made = String(replace(text))
    // The id in a path may be a number of the record.
    const other = made === text && /^[1-9]\d{0,14}$/u.test(text) ? String(replace(Number(text))) : made
    return other === text ? part : encodeURIComponent(other)
  }) ?? part

/** Reads the files of evidence. @param texts - Each file by its name. @throws {RunError} They are cut, edited, newer, or have a secret. */
export function readEvidence(texts: EvidenceFiles, folder: string, service: Service) {
  const fail = (place: string, what: string): RunError => new RunError(`--evidence: ${folder}/${place} ${what}.`)
  const manifest = objectOf(jsonIn(texts.get('manifest.json') ?? ''))
  const { callers: names, files, format: written, leftOut, recordedAt, service: url } = manifest
  if (typeof written !== 'number')
    throw fail('manifest.json', 'is missing, or is no manifest of evidence: record it again')
  if (written > format) throw fail('manifest.json', `has the format ${written}, and this version reads ${format}`)
  const callers = listOf(names).map(String)
  const isKnown = ([key]: readonly [string, unknown]): boolean =>
    key.startsWith('$') || service.resources.collections.some((each) => each.name === key)
  const document = Object.fromEntries(Object.entries(objectOf(jsonIn(texts.get('records.json') ?? ''))).filter(isKnown))
  const pulled = { document, dropped: [], cut: [], notes: [], listings: [], leftOut: listOf(leftOut) as never[] }
  const context = createProbeContext({ service, pulled, callers })
  const sent = new Map<string, SentProbe>()
  const verdicts = new Map<string, string>()
  const unknown = new Set<string>()
  const toSteps = (recorded: readonly JsonObject[]): readonly ProbeStep[] =>
    JSON.parse(JSON.stringify(recorded), (key, value: unknown) => {
      if (key === 'credential') return () => value
      if (key !== 'probed') return value
      const probed = context.all.find(({ operation }) => operation.id === value)
      if (!probed) unknown.add(String(value))
      return probed
    }) as readonly ProbeStep[]
  for (const [name, recorded] of Object.entries(objectOf(files))) {
    const text = texts.get(name)
    if (text === undefined) throw fail(name, 'is missing, and the manifest names it')
    const rows = name.endsWith('.jsonl') ? text.split('\n').slice(0, -1) : []
    const lines = rows.map((line, index) => {
      const place = `${name}:${index + 1}`
      const parsed = jsonIn(line)
      if (!isObject(parsed)) throw fail(place, 'is no JSON object: the file is cut or edited')
      const steps = listOf(parsed['steps']).map((step) => objectAt(step, 'credential'))
      const fields = steps.flatMap((each) => ['headers', 'query'].flatMap((key) => Object.entries(objectAt(each, key))))
      const secret = fields.find(([, its]) => !isStandIn(String(its), callers))
      if (secret) throw fail(place, `has a secret in ${secret[0]}, where only stand-ins may be: record it again`)
      // The hash below says that the double wrote it.
      return parsed as unknown as RecordedProbe | RecordedAnswer
    })
    if (hash('sha256', text) !== recorded) throw fail(name, 'is not as it was recorded: it is cut or edited')
    let answers: Answer[] = []
    for (const value of lines)
      if ('request' in value) answers.push({ request: value.request, service: toExchange(value.response) })
      else {
        const { copied, probe, steps, stopped, verdict, ...about } = value
        answers = []
        sent.set(probe, { ...notSent({ ...about, name: probe, steps: toSteps(steps) }, stopped), answers, copied })
        if (verdict !== undefined) verdicts.set(probe, verdict)
      }
  }
  return {
    context,
    noise: createNoise(objectOf(manifest['noise'])),
    sent: listOf(manifest['probes']).flatMap((name) => sent.get(String(name)) ?? []),
    recordedAt: String(recordedAt),
    url: String(url),
    /** Those that are kept, by the name of the probe. */
    verdicts,
    /** The operations that the contract does not have. */
    unknown: [...unknown],
  }
}

/** Tells whether a credential is one that a verification makes itself. */
function isStandIn(value: string, callers: readonly string[]): boolean {
  const [, encoded] = /^Basic (.*)$/iu.exec(value) ?? []
  const text = encoded === undefined ? value : Buffer.from(encoded, 'base64').toString()
  const made = ['', 'one two', 'ada:secret', 'unknown-token-of-nobody', 'nobody:unknown-token-of-nobody', 'nobody']
  const known = new Set([...made, ...callers.flatMap((name) => [`${name}-token`, `${name}:${name}-token`])])
  return known.has(text.replace(/^(?:Bearer|[^ =;]+=)\s*/iu, '')) || known.has(text)
}

function toExchange({ failure, headers, isText, json, status }: JsonObject): Exchange {
  if (typeof failure === 'string') return { failure }
  const fields = objectOf(headers) as Readonly<Record<string, string>>
  const mediaType = essenceOf(fields['content-type'] ?? '')
  const text = json === undefined ? (isText === true ? '-' : '') : JSON.stringify(json)
  return { status: Number(status), headers: fields, text, mediaType, json: json as Json | undefined }
}

/** Lists the probes that were answered in another way, as sentences. Stand-ins may have other names. */
export function compareEvidence(before: Evidence, now: Evidence): readonly string[] {
  const old = new Map(before.sent.map((each) => [each.probe.name, each.answers]))
  const changed = now.sent.flatMap(({ answers, probe: { name } }) => {
    const known = old.get(name)
    old.delete(name)
    if (!known) return [`${name} is not in the evidence.`]
    const numbered = numberValues(known)
    const index = numberValues(answers).findIndex((text, at) => text !== numbered[at])
    if (index === -1) return []
    const [one = '', other = ''] = [known, answers].map((each) => {
      const answer = each[index]?.service
      return answer && 'status' in answer ? String(answer.status) : 'no answer'
    })
    return [`${name} is out of date: ${one === other ? 'another body' : `${one} before, now ${other}`}.`]
  })
  return [...changed, ...Array.from(old.keys(), (name) => `${name} was not asked again.`)]
}

/** Writes answers with a number for each text and number, by first appearance, so that they do not depend on the names of stand-ins. */
function numberValues(answers: readonly Answer[]): readonly string[] {
  const numbers = new Map<unknown, number>()
  const toNumber = (key: string, value: unknown): unknown => {
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    if (key === 'status' || (typeof value !== 'string' && typeof value !== 'number')) return value
    numbers.set(value, numbers.get(value) ?? numbers.size)
    return numbers.get(value)
  }
  return answers.map(({ service }) => JSON.stringify({ ...service, text: undefined }, toNumber))
}
