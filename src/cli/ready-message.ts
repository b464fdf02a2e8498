/** The message of a start: the contract, what the double does with it, its records, and a first request. */
import { contractName } from '../contract/contract.js'
import type { SecurityScheme } from '../contract/security.js'
import { curlCommand, quoteWord } from '../curl-command.js'
import { groupBy } from '../documents/object.js'
import { formatProblems } from '../documents/problem.js'
import type { Double } from '../double/start-in-this-thread.js'
import { listNames, plural } from '../error-message.js'
import type { DoubleOptions } from '../options.js'
import { cutListings, ineffectiveParameters } from '../resources/explain.js'
import type { ResourcesSummary } from '../resources/explanation.js'
import { describeUnfilled } from '../resources/generated/generated-records.js'
import { anyToken, type Caller, countRecords } from '../resources/records/state.js'
import { safeLine } from '../safe-text.js'

function operationsByKind({ operations }: ResourcesSummary) {
  const byKind = groupBy(operations, ({ role }) => (role === 'handler' || role === 'mocked' ? role : 'stateful'))
  const names = (kind: 'handler' | 'mocked' | 'stateful') => (byKind.get(kind) ?? []).map(({ operation }) => operation)
  return { handled: names('handler'), mocked: names('mocked'), stateful: names('stateful') }
}

/** The initial fixture: as the user named it, or its name. Null: the double has started without one. */
const fixtureOf = ({ root }: Double, { fixture }: DoubleOptions): string | null =>
  typeof fixture === 'string' ? fixture : root.fixture.name

/** @param options - `spec` as the user named it. */
export function readyText(double: Double, options: DoubleOptions): string {
  const { contract, lockProblems, root, stateNote, summary } = double
  const { committed } = root.store
  const { diagnostics } = contract
  const hidden = diagnostics.length - maxShown
  const { state = 'in memory' } = options
  const fresh = fixtureOf(double, options) === null ? 'with new records' : 'from the fixture'
  const { handled, stateful } = operationsByKind(summary)
  const { length: withoutEffect } = ineffectiveParameters(summary.operations)
  const cut = cutListings(summary.operations)
  const explain = ['insights-double', 'explain', ...wordsOf(options)].map(quoteWord).join(' ')
  const collections = Object.keys(countRecords(committed))
  const [caller] = committed.callers
  const first = findFirstRequest(double, caller)
  return [
    `${contractName(contract)} ready at ${double.url}        (contract ${options.spec ?? 'of the package'}, ${contract.format})`,
    `  stateful ${stateful.length} of ${summary.operations.length} operations${collections.length > 0 ? `: ${shorten(collections)}` : ''}; ${explain} lists them`,
    ...(handled.length > 0 ? [`  handlers ${shorten(handled)}`] : []),
    ...(withoutEffect > 0
      ? [`  ignored  parameters of ${plural(withoutEffect, 'operation')}, validated but not acted on`]
      : []),
    ...(cut.length > 0 ? [`  cut      ${shorten(cut)}: no parameter leads to the rest`] : []),
    `  records  ${describeRecords(double, options)}`,
    `  state    ${state}${double.continued ? ` (continued; --fresh starts ${fresh})` : ''}`,
    ...(stateNote === undefined ? [] : [`           ${stateNote}`]),
    ...(double.generated ?? []).flatMap(describeUnfilled).map((line) => `           ${line}`),
    ...(caller ? [`  token    ${describeToken(summary, caller, first)}`] : []),
    ...formatProblems(contract.specWarnings).map((line) => `  warning  ${line}`),
    ...(lockProblems.length > 0 ? ['  changed  not as in the lock (--strict refuses it):'] : []),
    ...formatProblems(lockProblems).map((line) => `    ${line}`),
    ...(diagnostics.length > 0 ? ['  not enforced in the contract (--strict refuses it):'] : []),
    // A position in a large contract takes long to find, so only those that are shown are found.
    ...formatProblems(diagnostics.slice(0, maxShown)).map((line) => `    ${line}`),
    ...(hidden > 0 ? [`    and ${hidden} more; insights-double check shows all`] : []),
    `  console  ${double.url}/__admin/`,
    `  try      ${tryCommand(double.url, first)}`,
    '',
  ]
    .map(safeLine)
    .join('\n')
}

const wordsOf = ({ handlers, overlay, spec }: DoubleOptions): readonly string[] => [
  ...(spec === undefined ? [] : [spec]),
  ...(overlay === undefined ? [] : ['--overlay', overlay]),
  ...(typeof handlers === 'string' ? ['--handlers', handlers] : []),
]

/** Some contracts have hundreds of collections. */
const maxNames = 8

/** The most parts that are not enforced. */
const maxShown = 10

const shorten = (names: readonly string[]): string =>
  names.length > maxNames + 1 ? listNames(names, maxNames) : names.join(', ')

function describeRecords(double: Double, options: DoubleOptions): string {
  const { committed } = double.root.store
  const counts = Object.entries(countRecords(committed)).map(
    ([name, count]) => `${name} ${count}${describeOrigin(double, name)}`,
  )
  const all = counts.length > 0 ? shorten(counts) : 'no collections'
  const fixture = fixtureOf(double, options)
  const known = `(${plural(committed.callers.length, 'caller')})`
  if (double.continued) return `${all} ${known}`
  return fixture === null ? `${all}; --records, --seed, --fixture` : `${all}, from fixture ${fixture} ${known}`
}

function describeOrigin({ generated = [] }: Double, name: string): string {
  const { count = 0, fromExamples = 0 } = generated.find(({ collection }) => collection === name) ?? {}
  if (fromExamples === 0) return ''
  return ` (${fromExamples} from examples${count > fromExamples ? `, ${count - fromExamples} generated` : ''})`
}

export function readyJson(double: Double, options: DoubleOptions): string {
  const { contract, continued, lockProblems, stateNote, summary, url } = double
  const { handled, mocked, stateful } = operationsByKind(summary)
  const ready = {
    event: 'ready',
    url,
    title: contract.title,
    version: contract.version,
    contract: contract.file,
    format: contract.format,
    operations: summary.operations.length,
    fixture: fixtureOf(double, options),
    state: options.state ?? null,
    continued,
    ...(stateNote === undefined ? {} : { note: stateNote }),
    stateful,
    ...(handled.length > 0 ? { handlers: handled } : {}),
    mocked,
    notActedOn: ineffectiveParameters(summary.operations),
    notEnforced: formatProblems(contract.diagnostics),
    ...(lockProblems.length > 0 ? { changed: formatProblems(lockProblems) } : {}),
    ...(contract.specWarnings.length > 0 ? { warnings: formatProblems(contract.specWarnings) } : {}),
  }
  return `${JSON.stringify(ready)}\n`
}

type FirstRequest = ReturnType<typeof findFirstRequest>

/**
 * Finds the request that the start message suggests: one without a required parameter, and a listing if there is one, with the credentials of
 * a caller. None: it has none for it.
 */
function findFirstRequest({ contract, summary }: Double, caller: Caller | undefined) {
  const { operations, securitySchemes } = summary
  const credentialFor = (name: string) => {
    const scheme = securitySchemes.find((each) => each.name === name)
    const token = caller?.tokens.get(name) ?? caller?.tokens.get('')
    return scheme && token !== undefined ? [{ scheme, token: toSend(token) }] : []
  }
  const plain = operations
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .map(({ operation, path, role, security = [[]] }) => {
      const combinations = security.map((names) => ({ names, credentials: names.flatMap(credentialFor) }))
      // A combination without a credential shows less of the double than one with a credential.
      const sent = combinations
        .filter(({ credentials, names }) => credentials.length === names.length)
        .toSorted((one, other) => Number(other.names.length > 0) - Number(one.names.length > 0))[0]
      const own = contract.operations.find(({ id }) => id === operation)
      const needsParameter = own?.parameters.some(({ required }) => required) === true
      return { path, sent, rank: Number(needsParameter) * 2 + Number(role !== 'list') }
    })
    .toSorted((one, other) => one.rank - other.rank)
  const best = plain.find(({ sent }) => sent) ?? plain[0]
  return { path: best?.path ?? '/', credentials: best?.sent?.credentials ?? [] }
}

/** Returns a token to send. A caller with the token `*` accepts any token. */
const toSend = (token: string): string => (token === anyToken ? 'any-token' : token)

/** Says which token the caller sends, and where, such as `demo-token (demo), as header X-Api-Key`. */
function describeToken({ securitySchemes }: ResourcesSummary, caller: Caller, { credentials }: FirstRequest): string {
  const { name, tokens } = caller
  const token = tokens.get('')
  const [first] = credentials
  if (token !== undefined) return `${toSend(token)} (${name})${first ? `, as ${placeOf(first.scheme)}` : ''}`
  const all = [...tokens].map(([schemeName, each]) => {
    const scheme = securitySchemes.find((known) => known.name === schemeName)
    return `${toSend(each)} as ${scheme ? placeOf(scheme) : schemeName}`
  })
  return `${[...new Set(all)].join(', ')} (${name})`
}

function placeOf({ in: place, kind, parameter, prefix }: SecurityScheme): string {
  if (kind === 'bearer') return 'bearer token'
  if (kind === 'basic') return 'user and password (basic)'
  if (place === 'query') return `query parameter ${parameter}`
  return `${place} ${parameter}${prefix === '' ? '' : `, after ${prefix}`}`
}

function tryCommand(url: string, { credentials, path }: FirstRequest): string {
  const headers: [string, string[]][] = []
  const cookies: string[] = []
  const query: string[] = []
  let basic: string | undefined
  for (const { scheme, token } of credentials) {
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
