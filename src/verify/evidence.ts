/** What was seen of a service, as files: a manifest, the records, and one file of JSON Lines for each operation. */
import { createHash } from 'node:crypto'

import { documentedResponse, type Json } from '../contract/contract.js'
import { isJson } from '../contract/media-types.js'
import { isObject, type JsonObject, listOf, objectAt, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import type { FixtureDocument } from '../index.js'
import { sanitise } from '../pull/create-fixture-text.js'
import { type CredentialParts, standInToken } from '../pull/requests.js'
import { RunError } from '../pull/run-limits.js'
import type { Exchange } from '../pull/service-client.js'
import type { Service } from '../resources/load-service.js'
import { Noise } from './differences.js'
import { ProbeContext } from './probe-context.js'
import type { Probe, ProbeStep } from './probe.js'
import type { ReplayedRun } from './replay.js'
import { notSent, type SentProbe } from './run-probes.js'

const format = 1

/** The most bytes of a body that are kept. */
const maxBodyBytes = 64 * 1024

/** The text of each file by its name. */
export type EvidenceFiles = ReadonlyMap<string, string>

type Answer = SentProbe['answers'][number]

interface RecordedStep extends Omit<ProbeStep, 'credential' | 'probed' | 'removal'> {
  readonly operation: string | undefined
  readonly credential: CredentialParts
  readonly removal?: RecordedStep
}

/** The first line about a probe. The lines after it are its exchanges. */
interface RecordedProbe extends Omit<Probe, 'steps' | 'name'> {
  readonly probe: string
  readonly steps: readonly RecordedStep[]
  readonly stopped?: string | undefined
  readonly copied?: FixtureDocument | undefined
  /** The result of the run, where the replaced values would give another. */
  readonly verdict?: string | undefined
}

/** Evidence that was read. */
export interface Evidence extends ReplayedRun {
  readonly recordedAt: string
  readonly url: string
  /** The verdicts that are kept, by the name of the probe. */
  readonly verdicts: ReadonlyMap<string, string>
  /** The operations that the contract does not have. */
  readonly unknown: readonly string[]
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const linesOf = (values: readonly unknown[]): string => values.map((each) => `${JSON.stringify(each)}\n`).join('')

/** Creates the files of a run. @param tokens - The callers with their real tokens. @param verdicts - The verdicts to keep. */
export function createEvidence(
  { context, noise, sent, url }: ReplayedRun & { readonly url: string },
  service: Service,
  tokens: ReadonlyMap<string, string>,
  isSanitised: boolean,
  verdicts: ReadonlyMap<string, string> = new Map(),
): EvidenceFiles {
  const { contract, pulled } = context
  const standIn = (name: string): string => standInToken(contract, name)
  const bodies = sent.flatMap(({ answers, probe }) => answers.map((answer) => [probe, answer] as const))
  const others = bodies.flatMap(([probe, answer]) => bodiesOf(probe, answer))
  const sanitised = isSanitised ? sanitise(pulled.document, service.resources, [], others) : undefined
  const body = (value: unknown, schema: unknown, isError = false): unknown =>
    sanitised ? sanitised.replace(value, schema, isError) : value
  const sentBody = (text: string, step: Probe['steps'][number] | undefined): string => {
    const json = jsonIn(text)
    return json === undefined ? text : JSON.stringify(body(json, requestSchema(step)))
  }
  const target = (text: string): string => {
    const known = [...tokens].reduce(
      (to, [name, token]) => to.replaceAll(encodeURIComponent(token), encodeURIComponent(standIn(name))),
      text,
    )
    // A number or a flag of a query is no value of a person, and a cap or a page would mean something else.
    const isKept = (at: number, part: string): boolean =>
      at > known.indexOf('?') && /^(?:[\d.+-]*|true|false)$/u.test(part)
    const hasQuery = known.includes('?')
    return known.replaceAll(/[^/?&=]+/gu, (part, at: number) =>
      !sanitised || (hasQuery && isKept(at, part)) ? part : encodeAs(part, sanitised.text),
    )
  }
  const toStep = ({ credential, probed, removal, ...step }: ProbeStep): RecordedStep => ({
    ...step,
    operation: probed?.operation.id,
    target: target(step.target),
    ...(step.body === undefined ? {} : { body: sentBody(step.body, { ...step, credential, probed }) }),
    otherBodies: (step.otherBodies ?? []).map((each) => sentBody(each, { ...step, credential, probed })),
    credential: credential(standIn),
    ...(removal ? { removal: toStep(removal) } : {}),
  })
  const toLine = (probe: Probe, answer: Answer): JsonObject => {
    const { request, service: given } = answer
    const step = stepOfAnswer(probe, answer)
    const asked = { method: request.method, target: target(request.target) }
    const sentAs = { ...asked, ...(request.body === undefined ? {} : { body: sentBody(request.body, step) }) }
    if ('failure' in given) return { request: sentAs, response: given }
    const kept = { 'content-type': true, 'www-authenticate': true }
    const headers = Object.entries(given.headers).map(([name, value]) => {
      return [name, Object.hasOwn(kept, name) ? value : name === 'location' ? target(value) : '-']
    })
    const json = body(given.json, responseSchema(step, given.status), given.status >= 400)
    const isLarge = Buffer.byteLength(given.text) > maxBodyBytes
    const content = given.json === undefined || isLarge ? { isText: given.text !== '' } : { json }
    return { request: sentAs, response: { status: given.status, headers: Object.fromEntries(headers), ...content } }
  }
  const files = new Map<string, string>()
  const document = sanitised?.document ?? pulled.document
  files.set('records.json', `${JSON.stringify(document, null, 1)}\n`)
  for (const { answers, copied, probe, stopped } of sent) {
    if (answers.length === 0) continue
    const { name, steps, ...about } = probe
    const verdict = verdicts.get(name)
    const state = copied && sanitised ? sanitised.copy(copied) : copied
    const head = { probe: name, ...about, stopped, copied: state, verdict, steps: steps.map(toStep) }
    const file = `${(probe.operation ?? 'service').replaceAll(/[^\w.-]+/gu, '_')}.jsonl`
    files.set(file, (files.get(file) ?? '') + linesOf([head, ...answers.map((answer) => toLine(probe, answer))]))
  }
  const manifest = {
    format,
    recordedAt: new Date().toISOString(),
    service: url,
    contract: objectAt(contract.document, 'info'),
    isSanitised,
    callers: context.callers,
    leftOut: pulled.leftOut.map(({ collection, id }) => ({ collection, id: id && sanitised?.text(id) })),
    noise,
    probes: sent.filter(({ answers }) => answers.length > 0).map(({ probe }) => probe.name),
    files: Object.fromEntries([...files].map(([name, text]) => [name, hashOf(text)])),
  }
  return files.set('manifest.json', `${JSON.stringify(manifest, null, 1)}\n`)
}

function encodeAs(part: string, replace: (text: string) => string): string {
  try {
    const text = decodeURIComponent(part)
    const made = replace(text)
    return made === text ? part : encodeURIComponent(made)
  } catch {
    return part
  }
}

const requestSchema = (step: ProbeStep | undefined): unknown =>
  step?.probed?.operation.requestBody?.contents.find(({ mediaType }) => isJson(mediaType))?.schema

const responseSchema = (step: ProbeStep | undefined, status: number): unknown =>
  step?.probed &&
  documentedResponse(step.probed.operation, status)?.contents.find(({ mediaType }) => isJson(mediaType))?.schema

/** Finds the step that an answer belongs to. Undefined: it removes what the probe has left. */
const stepOfAnswer = ({ steps }: Probe, { request: { method, target } }: Answer): ProbeStep | undefined =>
  steps.find((step) => step.method === method && step.target === target) ?? steps.find((step) => step.method === method)

function bodiesOf(
  probe: Probe,
  answer: Answer,
): readonly (readonly [value: unknown, schema: unknown, group: string])[] {
  const { request, service } = answer
  const step = stepOfAnswer(probe, answer)
  const planned = [request.body, ...(step?.otherBodies ?? [])].map((text) => [jsonIn(text ?? ''), requestSchema(step)])
  const given = 'failure' in service ? [] : [[service.json, responseSchema(step, service.status)] as const]
  const group = probe.operation ?? ''
  return [...planned, ...given].map(([value, schema]) => [value, schema, group])
}

/** Reads the files of evidence. @param texts - Each file by its name. @throws {RunError} They are cut, edited, newer, or have a secret. */
export function readEvidence(texts: EvidenceFiles, folder: string, service: Service): Evidence {
  const fail = (place: string, what: string): RunError => new RunError(`--evidence: ${folder}/${place} ${what}.`)
  const manifest = objectOf(jsonIn(texts.get('manifest.json') ?? ''))
  const { callers: names, files, format: written, leftOut, recordedAt, service: url } = manifest
  if (typeof written !== 'number')
    throw fail('manifest.json', 'is missing, or is no manifest of evidence: record it again')
  if (written > format) throw fail('manifest.json', `has the format ${written}, and this version reads ${format}`)
  const callers = listOf(names).map(String)
  for (const [name, hash] of Object.entries(objectOf(files))) {
    const text = texts.get(name)
    if (text === undefined) throw fail(name, 'is missing, and the manifest names it')
    for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
      if (!name.endsWith('.jsonl')) break
      const value = jsonIn(line)
      if (!isObject(value)) throw fail(`${name}:${index + 1}`, 'is no JSON object: the file is cut or edited')
      const steps = listOf(value['steps']).map(objectOf)
      const credentials = steps.flatMap(({ credential }) =>
        ['headers', 'query'].map((key) => objectAt(credential, key)),
      )
      const secret = credentials.flatMap(Object.entries).find(([, its]) => !isStandIn(String(its), callers))
      if (secret)
        throw fail(`${name}:${index + 1}`, `has a secret in ${secret[0]}, where only stand-ins may be: record it again`)
    }
    if (hashOf(text) !== hash) throw fail(name, 'is not as it was recorded: it is cut or edited')
  }
  const isKnown = ([key]: readonly [string, unknown]): boolean =>
    key.startsWith('$') || service.resources.collections.some((each) => each.name === key)
  const document = Object.fromEntries(Object.entries(objectOf(jsonIn(texts.get('records.json') ?? ''))).filter(isKnown))
  const pulled = { document, dropped: [], cut: [], notes: [], listings: [], leftOut: listOf(leftOut) as never[] }
  const context = new ProbeContext(service, pulled, callers, new Map(), '00000000')
  const sent = new Map<string, SentProbe>()
  const verdicts = new Map<string, string>()
  const unknown = new Set<string>()
  const probedOf = (id: string | undefined): ProbeStep['probed'] => {
    const found = context.all.find(({ operation }) => operation.id === id)
    if (id !== undefined && !found) unknown.add(id)
    return found
  }
  const toStep = ({ credential, operation, removal, ...step }: RecordedStep): ProbeStep => ({
    ...step,
    probed: probedOf(operation),
    credential: () => credential,
    ...(removal ? { removal: toStep(removal) } : {}),
  })
  for (const [name, text] of texts) {
    let answers: Answer[] = []
    for (const line of name.endsWith('.jsonl') ? text.trim().split('\n') : []) {
      const value = JSON.parse(line) as
        | RecordedProbe
        | { readonly request: Answer['request']; readonly response: JsonObject }
      if ('request' in value)
        answers.push({ request: { ...value.request, headers: {} }, service: toExchange(value.response) })
      else {
        const { copied, probe, steps, stopped, verdict, ...about } = value
        answers = []
        const own = { ...about, name: probe, steps: steps.map(toStep) }
        sent.set(probe, { ...notSent(own, stopped), answers, copied })
        if (verdict !== undefined) verdicts.set(probe, verdict)
      }
    }
  }
  return {
    context,
    noise: new Noise(objectOf(manifest['noise'])),
    sent: listOf(manifest['probes']).flatMap((name) => sent.get(String(name)) ?? []),
    tokenOf: () => '',
    recordedAt: String(recordedAt),
    url: String(url),
    verdicts,
    unknown: [...unknown],
  }
}

/** Tells whether a credential is one that a verification makes itself. */
function isStandIn(value: string, callers: readonly string[]): boolean {
  const [, encoded] = /^Basic (.*)$/iu.exec(value) ?? []
  const text = encoded === undefined ? value : Buffer.from(encoded, 'base64').toString()
  const made = ['one two', 'ada:secret', 'unknown-token-of-nobody', 'nobody:unknown-token-of-nobody', 'nobody']
  const tokens = callers.flatMap((name) => [`${name}-token`, `${name}:${name}-token`])
  return ['', ...made, ...tokens].some(
    (each) => text.replace(/^(?:Bearer|[^ =;]+=)\s*/iu, '') === each || text === each,
  )
}

function toExchange({ failure, headers, isText, json, status }: JsonObject): Exchange {
  if (typeof failure === 'string') return { failure }
  const fields = objectOf(headers) as Readonly<Record<string, string>>
  const mediaType = (fields['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const text = json === undefined ? (isText === true ? '-' : '') : JSON.stringify(json)
  return { status: Number(status), headers: fields, text, mediaType, json: json as Json | undefined }
}

/** Lists the probes that were answered in another way, as sentences. Stand-ins may have other names. */
export function compareEvidence(before: Evidence, now: Evidence): readonly string[] {
  const old = new Map(before.sent.map((each) => [each.probe.name, each]))
  const changed = now.sent.flatMap(({ answers, probe: { name } }) => {
    const known = old.get(name)
    if (!known) return [`${name} is not in the evidence.`]
    const names = new Map<unknown, unknown>()
    const index = answers.findIndex(({ service }, at) => !isRenamed(known.answers[at]?.service, service, names))
    if (index === -1) return []
    const [one, other] = [known.answers[index]?.service, answers[index]?.service].map((each) =>
      each && 'status' in each ? String(each.status) : 'no answer',
    )
    return [`${name} is out of date: ${one === other ? 'another body' : `${one ?? ''} before, now ${other ?? ''}`}.`]
  })
  const names = new Set(now.sent.map(({ probe }) => probe.name))
  const gone = [...old.keys()].filter((name) => !names.has(name))
  return [...changed, ...gone.map((name) => `${name} was not asked again.`)]
}

/** Tells whether two values are equal up to the names of texts and numbers. @param names - The new name of each old value. */
function isRenamed(one: unknown, other: unknown, names: Map<unknown, unknown>): boolean {
  if (typeof one !== typeof other || Array.isArray(one) !== Array.isArray(other)) return false
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    const known = names.get(one) ?? other
    names.set(one, known)
    return typeof one === 'boolean' || one === null ? one === other : known === other
  }
  const [before, now] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    before.length === now.size &&
    before.every(([key, value]) => {
      if (key === 'status') return value === now.get(key)
      return key === 'text' || (now.has(key) && isRenamed(value, now.get(key), names))
    })
  )
}
