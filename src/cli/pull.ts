import { itemsOf, propertyNames, propertySchema } from '../contract/schemas/read-schema.js'
import { objectOf } from '../documents/object.js'
import { suggest } from '../nearest-name.js'
import { print, printError, setExitCode } from '../node-process.js'
import { once } from '../once.js'
import { createFixtureText } from '../pull/create-fixture-text.js'
import { planPull, pullState, type RealCaller } from '../pull/pull.js'
import { type GivenValues, isSegment } from '../pull/requests.js'
import { createServiceClient } from '../pull/service-client.js'
import { callerNamePattern } from '../resources/document/read-callers.js'
import { safeLine } from '../safe-text.js'
import { readHeaderVariable, readSecretVariable } from '../secret-variables.js'
import { exitCodes } from './exit-codes.js'
import { checkOutputFileIsNew, writeOutputFile } from './flag-files.js'
import { limitDefaults, UsageError } from './flags.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'

export async function runPull(parsed: ParsedArguments): Promise<void> {
  const { isGiven, valueOf, valuesOf } = parsed
  const keep = valuesOf('keep')
  if (keep.length > 0 && !isGiven('sanitise'))
    throw new UsageError('--keep names the exceptions of --sanitise. Give both, or neither.')
  await checkOutputFileIsNew(parsed, 'out')
  const { client, ...options } = await readRealServiceFlags(parsed)
  const { service } = options
  const plan = planPull(options)
  if (isGiven('plan')) return print(`${plan.join('\n')}\n`)
  const say = (line: string): void => printError(`${safeLine(client.redact(line))}\n`)
  const pulled = await pullState({ ...options, client, hidesIds: isGiven('sanitise'), onProgress: say })
  const except = isGiven('sanitise') ? keep : undefined
  const { notes, text } = createFixtureText(pulled, service.resources, isGiven('partial'), except)
  for (const note of notes) say(note)
  if (text === undefined) {
    client.checkLimits()
    return setExitCode(exitCodes.problems)
  }
  const out = valueOf('out')
  if (out === undefined) return print(text)
  await writeOutputFile(parsed, 'out', text)
  say(`Written to ${out}.`)
}

/** Reads the flags of the service. @throws {UsageError} One of them is invalid. @throws {RunError} The URL is not allowed. */
export async function readRealServiceFlags(parsed: ParsedArguments) {
  const { command, integerOf, isGiven, positionals, valuesOf } = parsed
  const [url] = positionals
  if (url === undefined)
    throw new UsageError(`${command} needs the URL of the service: insights-double ${command} https://api.example/v1.`)
  const callers = valuesOf('caller').map(parseCaller)
  const callerNames = callers.map(({ name }) => name)
  const repeated = callerNames.find((name, index) => callerNames.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`--caller gives ${repeated} twice. Give each caller another name.`)
  const headers = valuesOf('header').map((text) => readHeaderVariable('header', text))
  const client = createServiceClient({
    url,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    secrets: callers.map(({ token }) => token),
    pace: integerOf('pace') ?? limitDefaults.pace,
    allowPlainHttp: isGiven('insecure'),
    limits: {
      maxBytes: integerOf('max-bytes') ?? limitDefaults.bytes,
      maxMs: integerOf('max-time') ?? limitDefaults.ms,
      // `verify` limits the requests of its probes.
      ...(command === 'pull' ? { maxRequests: integerOf('max-requests') ?? limitDefaults.requests } : {}),
    },
  })
  const service = await loadSpecFlag(parsed)
  const names = once(() =>
    service.contract.operations.flatMap(({ parameters, requestBody }) => [
      ...parameters.map(({ name }) => name),
      ...(command === 'verify' ? (requestBody?.contents ?? []) : []).flatMap(({ schema }) => namesInside(schema)),
    ]),
  )
  const given = valuesOf('value').map((text) => parseValue(text, names()))
  // The first value of each parameter is that of all requests.
  const values: GivenValues = new Map(given.toReversed())
  const otherValues = given
    .filter(([name, value]) => values.get(name) !== value)
    .map((each) => new Map([...values, each]))
  /** The environment variables of `--header`, by lower-case name of the field. */
  const headerVariables: ReadonlyMap<string, string> = new Map(headers.map(({ name, variable }) => [name, variable]))
  return { service, client, callers, values, otherValues, headerVariables }
}

/** Lists the names of the properties of a body, and of those of its objects and lists. @param depth - Levels. Schemas may contain themselves. */
const namesInside = (schema: unknown, depth = 3): readonly string[] => {
  const its = itemsOf(objectOf(schema)) ?? schema
  const names = depth > 0 ? propertyNames(its) : []
  return names.flatMap((name) => [name, ...namesInside(propertySchema(its, name), depth - 1)])
}

/** @param names - Those of the parameters of the contract, and for `verify` of the properties of bodies. */
function parseValue(text: string, names: readonly string[]): readonly [string, string] {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/su.exec(text) ?? []
  if (names.includes(name) && isSegment(value)) return [name, value]
  const hint = name === '' ? '' : `; ${suggest(name, names, `the contract has ${[...new Set(names)].join(', ')}`)}`
  throw new UsageError(`--value must be <parameter>=<value>, such as orderId=42, got "${text}"${hint}.`)
}

function parseCaller(text: string): RealCaller {
  const rule = '--caller must be a name and the environment variable of its token, such as ada=env:ADA_TOKEN.'
  const { name, value, variable } = readSecretVariable('caller', text, /^([^=]+)=env:(\w+)$/u, rule, callerNamePattern)
  return { name, variable, token: value }
}
