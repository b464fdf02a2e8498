/** Reads the callers of a document. */
import type { Contract } from '../../contract/contract.js'
import type { SecurityScheme } from '../../contract/security.js'
import { isObject, objectOf } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { isId } from '../ids.js'
import { anyToken, type Caller } from '../records/state.js'
import type { ReportProblem } from './document-problem.js'

export const callerNamePattern = /^[A-Za-z0-9._~-]{1,64}$/u
export const maxTokenLength = 512

const printable = { pattern: /^[!-~]+(?: [!-~]+)*$/u, hint: 'use printable characters' }
const anyText = { ...printable, pattern: /^.+$/u }
const tokenForms = {
  bearer: { pattern: /^[A-Za-z0-9._~+/-]+=*$/u, hint: 'use letters, digits and -._~+/' },
  basic: { pattern: /^[^:]*:.*$/u, hint: 'write user:password' },
  apiKey: printable,
  http: printable,
} as const satisfies Record<SecurityScheme['kind'], typeof printable>

/** Returns the form of tokens. @param scheme - The security scheme. Empty: a token for every scheme of the contract. */
export function tokenForm({ securitySchemes }: Contract, scheme: string): typeof printable {
  const known = securitySchemes.get(scheme)
  const kinds = new Set((known ? [known] : [...securitySchemes.values()]).map(({ kind }) => kind))
  const [kind = 'bearer'] = kinds
  return kinds.size > 1 ? anyText : tokenForms[kind]
}

const hint = 'list the callers, such as {"ada": {"token": "a-token"}}'

/** Reads `$callers`. May be missing if no operation needs a credential. */
export function readCallers(value: unknown, contract: Contract, report: ReportProblem): readonly Caller[] {
  const path = ['$callers']
  const isNeeded = contract.operations.some(({ secured }) => secured)
  if (!isObject(value)) {
    if (value !== undefined) report(path, '$callers must be an object', hint)
    else if (isNeeded) report(path, '$callers is missing', hint)
    return []
  }
  const isToken = createTokenCheck(contract, report)
  const callers = Object.entries(value).flatMap(([name, caller]) => {
    const what = `caller name ${JSON.stringify(name)} must match ${callerNamePattern.source}`
    if (!callerNamePattern.test(name)) report([...path, name], what, 'rename it', 'key')
    return readCaller(name, caller, contract, isToken, report) ?? []
  })
  if (isNeeded && Object.keys(value).length === 0)
    report(path, '$callers is empty, so every request would be refused', hint)
  return Object.freeze(callers)
}

function readCaller(
  name: string,
  value: unknown,
  contract: Contract,
  isToken: ReturnType<typeof createTokenCheck>,
  report: ReportProblem,
): Caller | undefined {
  const path = ['$callers', name]
  if (!isObject(value)) {
    report(path, 'a caller must be an object', 'write {"token": "…"}')
    return undefined
  }
  for (const key of Object.keys(value))
    if (key !== 'token' && key !== 'tokens' && key !== 'record')
      report([...path, key], `key "${key}" is not known`, 'use token, tokens or record', 'key')
  const { record, token, tokens } = value
  const records = record === undefined ? undefined : readOwnRecords(record, [...path, 'record'], report)
  if (tokens === undefined)
    return isToken(name, [...path, 'token'], token, '')
      ? Object.freeze({ name, tokens: new Map([['', token]]), records })
      : undefined
  if (token !== undefined) report([...path, 'tokens'], 'a caller has either token or tokens', 'leave one out', 'key')
  if (!isObject(tokens) || Object.keys(tokens).length === 0) {
    const what = 'tokens must be an object with a token for each security scheme'
    report([...path, 'tokens'], what, 'write {"<scheme>": "…"}')
    return undefined
  }
  const known = [...contract.securitySchemes.keys()]
  const read = new Map<string, string>()
  for (const [scheme, text] of Object.entries(tokens)) {
    const at = [...path, 'tokens', scheme]
    const use = `use ${known.join(', ') || 'token'}`
    if (!known.includes(scheme)) report(at, `security scheme "${scheme}" is not known`, use, 'key')
    if (isToken(name, at, text, scheme)) read.set(scheme, text)
  }
  return Object.freeze({ name, tokens: read, records })
}

function readOwnRecords(value: unknown, path: readonly Segment[], report: ReportProblem): Caller['records'] {
  if (!isObject(value)) report(path, 'record must be an object', 'write {"<collection>": "<id>"}')
  const ids = Object.entries(objectOf(value))
  for (const [collection, id] of ids)
    if (!isId(id)) report([...path, collection], 'an id must be a string or a number', 'write the id of the record')
  return new Map(ids.map(([collection, id]) => [collection, String(id)]))
}

/** Creates a function that checks a token of a caller. It knows the tokens of the callers before. @returns Its `scheme` is empty for a token of every scheme. */
function createTokenCheck(contract: Contract, report: ReportProblem) {
  const holders = new Map<string, string>()
  return (name: string, path: readonly Segment[], token: unknown, scheme: string): token is string => {
    if (typeof token !== 'string') {
      report(path, 'token must be a string', 'give the caller a token, or "*" for any')
      return false
    }
    const form = tokenForm(contract, scheme)
    if (token !== anyToken && !form.pattern.test(token))
      report(path, `token must match ${form.pattern.source}, or be "*"`, form.hint)
    if (token.length > maxTokenLength)
      report(path, `token has ${token.length} characters`, `use at most ${maxTokenLength}`)
    const sameSchemes = scheme === '' ? ['', ...contract.securitySchemes.keys()] : ['', scheme]
    const holder = sameSchemes
      .map((each) => holders.get(`${each} ${token}`))
      .find((each) => each !== undefined && each !== name)
    if (holder !== undefined)
      report(path, `token is already the token of caller "${holder}"`, 'give each caller another token')
    holders.set(`${scheme} ${token}`, name)
    return true
  }
}
