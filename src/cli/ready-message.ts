import type { Contract } from '../contract/contract.js'
import { doubleName } from '../contract/contract.js'
import { curlCommand } from '../curl-command.js'
import { formatProblems } from '../documents/problem.js'
import type { Double } from '../double/start-in-this-thread.js'
import type { DoubleOptions } from '../options.js'
import { ineffectiveParameters } from '../resources/explain.js'
import type { ResourcesSummary } from '../resources/explanation.js'
import { describeUnfilled } from '../resources/generated/generated-records.js'
import type { Caller } from '../resources/records/state.js'
import { anyToken, countRecords } from '../resources/records/state.js'
import { safeLine } from '../safe-text.js'
import { formatCounts } from './terminal.js'

function operationsByKind({
  operations,
}: ResourcesSummary): Readonly<Record<'handled' | 'mocked' | 'stateful', string[]>> {
  const names = (isMeant: (role: string) => boolean): string[] =>
    operations.filter(({ role }) => isMeant(role)).map(({ operation }) => operation)
  return {
    handled: names((role) => role === 'handler'),
    mocked: names((role) => role === 'mocked'),
    stateful: names((role) => role !== 'handler' && role !== 'mocked'),
  }
}

/** The initial fixture: as the user named it, or its name. Null: the double has started without one. */
const fixtureOf = ({ root }: Double, { fixture }: DoubleOptions): string | null =>
  typeof fixture === 'string' ? fixture : root.fixture.name

export function readyText(double: Double, options: DoubleOptions): string {
  const { state } = options
  const fixture = fixtureOf(double, options)
  const { contract, continued, root, stateNote, summary } = double
  const { committed } = root.store
  const [caller] = committed.callers
  const counts = formatCounts(countRecords(committed), committed.callers.length)
  const stateText = continued
    ? `${state ?? ''} (continued: ${counts}; --fresh starts ${fixture === null ? 'with the records of the contract' : 'from the fixture'})`
    : (state ?? 'in memory')
  const { handled, mocked, stateful } = operationsByKind(summary)
  const withoutEffect = ineffectiveParameters(summary.operations)
  return [
    `${doubleName(contract)} ready at ${double.url}`,
    `  fixture  ${fixture ?? 'none; --fixture names one'}${continued ? '' : ` (${counts})`}`,
    `  state    ${stateText}`,
    ...(stateNote === undefined ? [] : [`           ${stateNote}`]),
    ...(double.generated ?? []).flatMap(describeUnfilled).map((line) => `           ${line}`),
    ...(caller ? [`  token    ${formatTokens(caller)} (${caller.name})`] : []),
    ...(stateful.length > 0 ? [`  stateful ${stateful.join(', ')}`] : []),
    ...(handled.length > 0 ? [`  handlers ${handled.join(', ')}`] : []),
    ...(mocked.length > 0 ? [`  mocked   ${mocked.join(', ')} (insights-double explain says why)`] : []),
    ...(withoutEffect.length > 0 ? [`  ignored  ${withoutEffect.join('; ')} (validated, but not acted on)`] : []),
    ...formatDiagnostics(contract),
    `  try      ${firstCurlCommand(summary, double.url, caller)}`,
    '',
  ]
    .map(safeLine)
    .join('\n')
}

const maxShown = 10

function formatDiagnostics({ diagnostics }: Contract): string[] {
  if (diagnostics.length === 0) return []
  const hidden = diagnostics.length - maxShown
  return [
    `  not enforced in the contract (--strict refuses it):`,
    // A position in a large contract takes long to find, so only those that are shown are found.
    ...formatProblems(diagnostics.slice(0, maxShown)).map((line) => `    ${line}`),
    ...(hidden > 0 ? [`    and ${hidden} more; insights-double check shows all`] : []),
  ]
}

export function readyJson(double: Double, options: DoubleOptions): string {
  const { contract, continued, stateNote, summary, url } = double
  const { operations } = summary
  const { handled, mocked, stateful } = operationsByKind(summary)
  const ready = {
    event: 'ready',
    url,
    fixture: fixtureOf(double, options),
    state: options.state ?? null,
    continued,
    ...(stateNote === undefined ? {} : { note: stateNote }),
    stateful,
    ...(handled.length > 0 ? { handlers: handled } : {}),
    mocked,
    notActedOn: ineffectiveParameters(operations),
    notEnforced: formatProblems(contract.diagnostics),
  }
  return `${JSON.stringify(ready)}\n`
}

const formatTokens = ({ token, tokens }: Caller): string =>
  tokens === undefined
    ? toSend(token ?? '')
    : [...tokens].map(([scheme, each]) => `${scheme}=${toSend(each)}`).join(' ')

/** Creates a curl command to try: a listing if there is one, with the credentials of a caller. */
function firstCurlCommand(
  { operations, securitySchemes }: ResourcesSummary,
  url: string,
  caller: Caller | undefined,
): string {
  const plain = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  const example = plain.find(({ role }) => role === 'list') ?? plain[0]
  const { path = '/', security = [] } = example ?? {}
  const combination = caller && security.find((names) => names.every((name) => tokenOf(caller, name) !== undefined))
  const headers: [string, string[]][] = []
  const cookies: string[] = []
  const query: string[] = []
  let basic: string | undefined
  for (const name of combination ?? []) {
    const scheme = securitySchemes.find((each) => each.name === name)
    const token = caller && tokenOf(caller, name)
    if (!scheme || token === undefined) continue
    const { in: place, kind, parameter, prefix } = scheme
    if (kind === 'basic') basic = token.includes(':') ? token : `${token}:`
    else if (place === 'header') headers.push([parameter, [prefix === '' ? token : `${prefix} ${token}`]])
    else if (place === 'cookie') cookies.push(`${parameter}=${encodeURIComponent(token)}`)
    else query.push(`${encodeURIComponent(parameter)}=${encodeURIComponent(token)}`)
  }
  if (cookies.length > 0) headers.push(['cookie', [cookies.join('; ')]])
  const target = `${url}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return curlCommand({ method: 'GET', url: [target], headers, basic }).join(' ')
}

function tokenOf({ token, tokens }: Caller, scheme: string): string | undefined {
  const own = tokens === undefined ? token : tokens.get(scheme)
  return own === undefined ? undefined : toSend(own)
}

/** Returns a token to send. A caller with the token `*` accepts any token. */
const toSend = (token: string): string => (token === anyToken ? 'any-token' : token)
