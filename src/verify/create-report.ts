import { shortPlace } from '../addresses.js'
import { whereOf } from '../contract/spec-places.js'
import { curlCommand, type TextPart } from '../curl-command.js'
import { groupBy, objectOf } from '../documents/object.js'
import { valueAt } from '../documents/pointer.js'
import type { RealCaller } from '../pull/pull.js'
import type { ServiceResponse } from '../pull/service-client.js'
import { createRedactor, namedSecretsIn } from '../redaction.js'
import { operationOverrideOf } from '../resources/read-overrides.js'
import { type Difference, patternOf } from './differences.js'
import type { Edit } from './edit.js'
import { differenceKey, proposeEdit } from './edits.js'
import { describeErrorWords } from './error-words.js'
import type { FoundDifference, ProbeResult } from './evaluate-probes.js'
import { isSafeMethod, type ProbeStep } from './probe.js'
import { toRequest } from './run-probes.js'
import type { Verification } from './verify.js'

/** The report of a verification. It contains no token. */
export type VerifyReport = ReturnType<typeof createReportAndEdits>['report']

export type ReportedDifference = VerifyReport['differences'][number]

export type ReportedProbe = VerifyReport['probes'][number]

interface SecretVariables {
  readonly callers: readonly RealCaller[]
  /** By lower-case name of the header. */
  readonly headers: ReadonlyMap<string, string>
}

export function createReportAndEdits(
  verification: Verification,
  variables: SecretVariables,
  redact: (text: string) => string,
  expectedDrift: readonly string[] = [],
) {
  const { assumptions, context, notes, requests, results, startedAt, url } = verification
  const { contract } = context
  const redactNamed = createRedactor(
    results.flatMap(({ steps }) =>
      steps.flatMap(({ service }) => ('json' in service ? namedSecretsIn(service.json) : [])),
    ),
  )
  // The overlay is committed. A command is not changed: it would not give the shown response.
  const redactShown = (text: string): string => redactNamed(redact(text))
  const found = findDifferences(verification, redactShown)
  const sorted = found.toSorted((one, other) => rankOf(one.difference) - rankOf(other.difference))
  const causes = [...groupBy(sorted, ({ cause }) => cause).values()]
  return {
    report: {
      service: url,
      spec: shortPlace(contract.file),
      startedAt,
      requests,
      expected: contract.operations
        .filter((each) => expectedDrift.includes(each.id) || operationOverrideOf(each).isChangeExpected)
        .map(({ id }) => id),
      operations: contract.operations.map(({ id }) => ({ operation: id, verdict: verdictOf(id, results) })),
      /** In the order in which a client notices them: status, records, body, media type, header, the body of an error. */
      differences: causes.flatMap((each) => showCause(each, url, variables, redact, redactShown)),
      probes: results.map(({ outcome, probe: { name, operation, steps }, reason }) => ({
        name,
        operation,
        outcome,
        reason: reason === undefined ? undefined : redact(reason),
        lines: [...new Set(steps.map(({ tests }) => whereOf(contract, tests)))],
        differences: found.flatMap(({ result, what, where }) => (result.probe.name === name ? { what, where } : [])),
      })),
      assumptions: assumptions.map(({ outcome, probes: by, text, where }) => ({ where, text, outcome, probes: by })),
      notes: [...notes, ...describeErrorWords(verification)].map(redact),
    },
    edits: editsOf(found).map((each) => JSON.parse(redactShown(JSON.stringify(each))) as Edit),
  }
}

type Found = ReturnType<typeof findDifferences>[number]

function findDifferences({ context, results }: Verification, redact: (text: string) => string) {
  const { contract, nonce, pulled } = context
  return results.flatMap((result) =>
    result.differences.map((difference) => {
      const proposed = proposeEdit(difference, { contract, nonce, pulled, results })
      // A status with an edit has another cause than one without.
      const isFixed = difference.part === 'status' && proposed !== undefined
      const cause = `${isFixed ? 'edit' : ''} ${causeOf(difference, result)}`
      const [what, where] = [redact(difference.what), whereOf(contract, difference.place)]
      return { result, difference, proposed, cause, what, where }
    }),
  )
}

/** Shows the first of the differences with the same cause, and names the others. */
function showCause(
  all: readonly Found[],
  url: string,
  variables: SecretVariables,
  redact: (text: string) => string,
  redactShown: (text: string) => string,
) {
  const labelOf = ({ difference: { at, keyword, part, path, value }, what }: Found): string =>
    (part === 'body' && !value ? at.step.parameter?.name : undefined) ??
    (path ? [patternOf(path) || 'the body', keyword].join(' ').trim() : what)
  // What the service lacks, and what it has more, are two lists.
  const whole = [...groupBy(all, ({ difference: { value } }) => value?.kind === 'extra').values()].map((group) => {
    const [, ...others] = new Set(group.map(labelOf))
    const more = others.length === 0 ? '' : `, and ${others.length} more like this: ${others.join(', ')}`
    return `${group[0]?.what ?? ''}${more}`
  })
  return all.slice(0, 1).map(({ difference, proposed, result, where }) => {
    const { at, servicePath } = difference
    // A probe may have the same step twice.
    const index = result.steps.findIndex(({ service, step }) => step === at.step && service === at.service)
    const earlier = result.steps.slice(0, Math.max(0, index)).filter(({ step }) => !isSafeMethod(step.method))
    const toCurl = (step: ProbeStep): string => redact(stepAsCurl(step, result.created[0], url, variables))
    return {
      what: whole.join('; '),
      /** File and line of the spec, such as `spec/orders.yaml:96`. */
      where,
      /** The names of the probes that found it. The rest is about the first of them. */
      places: [...new Set(all.map((each) => each.result.probe.name))],
      /** A curl command. Tokens are environment variables. */
      request: toCurl(at.step),
      /** The earlier requests of the probe that may change the service. */
      before: earlier.map(({ step }) => toCurl(step)),
      double: showResponse(at.double, difference).map(redactShown),
      service: showResponse(at.service, difference, servicePath).map(redactShown),
      /** The edit of the spec that would make the double agree. Undefined: none can express the difference. */
      edit: proposed && redactShown(proposed.text),
    }
  })
}

function editsOf(found: readonly Found[]): readonly Edit[] {
  const edits = new Map<string, Edit>()
  for (const { difference, proposed, result } of found) {
    if (!proposed) continue
    // Two responses at one place are examples of the same edit. What only some errors have is not for all.
    const key = JSON.stringify([proposed.text, ...proposed.actions.map(({ target }) => target)])
    const known = edits.get(key) ?? proposed
    const isShorter = JSON.stringify(proposed.actions).length < JSON.stringify(known.actions).length
    const { actions } = difference.at.double.status >= 400 && isShorter ? proposed : known
    const fixes = [...known.fixes, differenceKey(result.probe.name, difference)]
    const part = difference.part === 'status' || difference.part === 'schema' ? difference.part : 'other'
    edits.set(key, { ...known, actions, fixes, part })
  }
  const order: readonly Edit['part'][] = ['schema', 'other', 'status']
  return [...edits.values()].toSorted((one, other) => order.indexOf(one.part) - order.indexOf(other.part))
}

/** Verified: no probe of it differs, and in one that agrees, the service does not refuse it. Unseen: there is no such one. */
function verdictOf(id: string, results: readonly ProbeResult[]) {
  if (results.some(({ outcome, probe }) => outcome === 'differs' && probe.operation === id)) return 'differs'
  const isServed = ({ service, step }: ProbeResult['steps'][number]): boolean =>
    step.probed?.operation.id === id && 'status' in service && service.status < 400
  return results.some(({ outcome, steps }) => outcome === 'agrees' && steps.some(isServed)) ? 'verified' : 'unseen'
}

const ranks: readonly Difference['part'][] = ['status', 'records', 'order', 'body', 'schema', 'media type', 'header']

const rankOf = ({ at, part, path }: FoundDifference): number =>
  path !== undefined && at.double.status >= 400 ? ranks.length : ranks.indexOf(part)

/** Returns a text that is equal for differences with the same cause. */
function causeOf({ at, header, part, path, place, value, what }: FoundDifference, { probe }: ProbeResult): string {
  const { operation, parameter } = { operation: probe.operation, ...at.step }
  if (part === 'media type') return what
  if (header !== undefined) return header
  if (part === 'order') return JSON.stringify([part, at.step.probed?.collection?.name])
  // The errors of a service have few shapes, whatever the request is.
  if (path !== undefined && at.double.status >= 400) return JSON.stringify(Object.keys(objectOf(at.service.json)))
  // A schema of the contract, or what stands in the operation.
  if (part === 'schema') return JSON.stringify(place.slice(0, 3))
  // A service that shows other properties has one schema, and what is mocked has one reason.
  const isShape = value?.kind === 'missing' || value?.kind === 'extra'
  if (part === 'body' && value) return JSON.stringify([isShape, at.step.probed?.collection?.name ?? operation])
  // The parameters of what is mocked have no effect.
  if (part === 'body') return at.step.parameter ? JSON.stringify([part, operation]) : what
  // One check of the service may give all its refusals. Those of the double depend on what was sent.
  if (part === 'status' && (at.double.status < 400 || at.service.status >= 400)) return what
  // The rest of the name says what was sent, without the operation and the parameter.
  const sent = parameter?.case ?? probe.name.slice((operation ?? '').length)
  const kind = sent.replace(/-\d+$|(?<=:credential)-.*/u, '')
  // What a listing without parameters shows, is shown by all.
  const isOfAll = part === 'records' && place.includes('responses')
  const asked = at.step.probed?.operation.id ?? operation
  return JSON.stringify([what, isOfAll || kind, part !== 'status' || asked !== operation ? asked : true])
}

export const withOutcome = ({ probes }: VerifyReport, outcome: ProbeResult['outcome']): readonly ReportedProbe[] =>
  probes.filter((probe) => probe.outcome === outcome)

/** The name of a variable in a token of a request, so that its place is found. No request has this character elsewhere. */
const marked = (variable: string): string => `\0${variable}\0`

/** Splits a text at the marked variables, also where they are percent-encoded. */
const partsOf = (text: string): readonly TextPart[] =>
  text
    .split(/\0|%00/u)
    .map((part, index) => (index % 2 === 0 ? part : { variable: part }))
    .filter((part) => part !== '')

/** Writes the request of a step. Tokens are environment variables. @param created - The id of the record that its probe created. */
function stepAsCurl(step: ProbeStep, created: string | undefined, url: string, variables: SecretVariables): string {
  const { callers, headers: secrets } = variables
  const tokenOf = (name: string): string => marked(callers.find((each) => each.name === name)?.variable ?? 'TOKEN')
  const { body, headers, method, target } = toRequest(step, tokenOf, created)
  const [, encoded = ''] = /^Basic (.*)$/u.exec(headers['authorization'] ?? '') ?? []
  const [basic, ...others] = partsOf(Buffer.from(encoded, 'base64').toString())
  const isBasic = typeof basic === 'object' && others.length === 0
  const own = Object.entries(headers).filter(([name]) => !(isBasic && name === 'authorization'))
  const fields = [
    ...[...secrets].flatMap(([name, variable]) =>
      Object.hasOwn(headers, name) ? [] : [[name, [{ variable }]] as const],
    ),
    ...own.map(([name, value]) => [name, partsOf(value)] as const),
  ]
  const sent = { method, url: partsOf(url + target), headers: fields, body: body === undefined ? undefined : [body] }
  return curlCommand({ ...sent, basic: isBasic ? basic : undefined }, '-i').join(' ')
}

const differsMark = '   <-- differs'

/** The most characters of a line. */
const maxLength = 200

/** Writes the status, the media type, and of the body the value that differs, or of an error all. @param path - The place in this body. Default: that of the difference. */
function showResponse(response: ServiceResponse, difference: Difference, path = difference.path): readonly string[] {
  const { headers, json, status, text } = response
  const { header, part } = difference
  const markIf = (line: string, isMarked: boolean): string => {
    return `${line.length > maxLength ? `${line.slice(0, maxLength)}…` : line}${isMarked ? differsMark : ''}`
  }
  const head = `${status} ${headers['content-type'] ?? '(no content type)'}`
  const lines = [markIf(head, part === 'status' || part === 'media type')]
  if (header !== undefined) lines.push(markIf(`${header}: ${headers[header] ?? '(none)'}`, true))
  // Of another status, only the text of an error tells why.
  if (path === undefined && (text === '' || status < 400)) return lines
  if (path !== undefined && json !== undefined && status < 400) {
    const place = path.length === 0 ? 'the body' : path.join('.')
    return [...lines, markIf(`${place}: ${JSON.stringify(valueAt(json, path)) ?? '(none)'}`, true)]
  }
  const shown = json === undefined ? text.replaceAll(/\s*\n\s*/gu, ' ') : JSON.stringify(json)
  return [...lines, markIf(shown === '' ? '(no body)' : shown, path !== undefined)]
}
