/** A generic client. It uses only `GET /__admin/collections`, and the spec for request bodies. */
import { isDeepStrictEqual } from 'node:util'

import type { Explanation } from './explanation.js'
import type { Node, Spec } from './spec.js'
import { isNode } from './spec.js'

/** The failures, and the number of requests that were sent. */
export interface Findings {
  requests: number
  refused: number
  readonly problems: string[]
}

type Operation = Explanation['operations'][number]

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Sends requests to a double, and has every response validated. */
export class Client {
  readonly findings: Findings = { requests: 0, refused: 0, problems: [] }
  readonly #url: string
  readonly #spec: Spec
  readonly #explanation: Explanation

  constructor(url: string, spec: Spec, explanation: Explanation) {
    this.#url = url
    this.#spec = spec
    this.#explanation = explanation
  }

  /** Sends a request to every operation. */
  async sendAll(): Promise<void> {
    for (const operation of this.#explanation.operations) await this.#send(operation, undefined)
  }

  /** Creates, reads, lists, updates, replaces and removes in every collection, and compares with what was sent. */
  async cycleAll(): Promise<void> {
    for (const collection of this.#explanation.collections) {
      await this.#cycle(collection)
    }
  }

  async #cycle({ id: idProperty, name, operations }: Explanation['collections'][number]): Promise<void> {
    const find = (role: string): Operation | undefined =>
      this.#explanation.operations.find(({ operation }) => operation === operations[role])
    const { create, list, read, remove, replace, update } = Object.fromEntries(
      ['create', 'list', 'read', 'remove', 'replace', 'update'].map((role) => [role, find(role)]),
    )
    let expected: Node | undefined
    const recordsOf = async (): Promise<readonly Node[]> => {
      const state = (await (await fetch(`${this.#url}/__admin/state`)).json()) as Record<string, Node[]>
      return state[name] ?? []
    }
    const othersOf = async (own: string): Promise<readonly Node[]> =>
      (await recordsOf()).filter((each) => String(each[idProperty]) !== own)
    const before = (await recordsOf()).length
    if (create) {
      const body = this.#bodyOf(create)
      const { status } = await this.#send(create, undefined, body)
      const records = await recordsOf()
      if (status >= 300) {
        if (records.length !== before) this.#report(create, `a ${status} changed the state`)
      } else if (records.length !== before + 1) this.#report(create, 'did not add one record')
      expected = status < 300 ? records.at(-1) : undefined
      if (expected) this.#compare(create, expected, body)
    }
    expected ??= (await recordsOf())[0]
    if (!expected) return
    const id = String(expected[idProperty])
    const known = async (role: string, answer: Answer | undefined): Promise<void> => {
      const record = (await recordsOf()).find((each) => String(each[idProperty]) === id)
      const operation = find(role)
      if (!operation || !answer || answer.status >= 300) return
      if (!record) this.#report(operation, 'the record is not there')
      else if (answer.body !== undefined && !holds(answer.body, idProperty, record[idProperty]))
        this.#report(operation, `the response does not hold ${idProperty} ${id}`)
    }
    // A record that a caller created is not visible to requests without a credential.
    const isVisible = ({ security = [] }: Operation): boolean =>
      expected?.['$access'] === undefined || security.length > 0
    if (read) {
      const answer = await this.#send(read, id)
      if (isVisible(read) && answer.status !== 200)
        this.#report(read, `a record that is there is answered with ${answer.status}`)
      await known('read', answer)
    }
    const listed = list && (await this.#send(list, undefined))
    if (list && isVisible(list)) await known('list', listed)
    for (const [role, operation] of [
      ['update', update],
      ['replace', replace],
    ] as const)
      if (operation) {
        const others = await othersOf(id)
        const own = (await recordsOf()).find((each) => String(each[idProperty]) === id)
        const body = withId(this.#bodyOf(operation), idProperty, expected[idProperty])
        const answer = await this.#send(operation, id, body)
        await known(role, answer)
        const changed = (await recordsOf()).find((each) => String(each[idProperty]) === id)
        if (answer.status >= 300 && !isDeepStrictEqual(own, changed))
          this.#report(operation, 'a refusal changed the record')
        if (answer.status < 300 && changed) this.#compare(operation, changed, body)
        if (!isDeepStrictEqual(await othersOf(id), others)) this.#report(operation, 'changed other records')
      }
    if (!remove) return
    const others = await othersOf(id)
    const { status } = await this.#send(remove, id)
    if (!isDeepStrictEqual(await othersOf(id), others)) this.#report(remove, 'changed other records')
    if (status >= 300) this.#report(remove, `a record that is there is answered with ${status}`)
    if ((await recordsOf()).some((each) => String(each[idProperty]) === id))
      this.#report(remove, 'the record is still there')
    if (read && (await this.#send(read, id)).status < 400) this.#report(read, 'reads a record that was removed')
  }

  /** Compares a stored record with what was sent of it. The record may have more. */
  #compare(operation: Operation, record: Node, sent: unknown): void {
    const own = isNode(sent) ? sent : {}
    const shared = Object.keys(own).filter((name) => name in record)
    const [inner] = Object.values(own)
    // The body may wrap the record in a property.
    if (shared.length === 0 && isNode(inner)) this.#compare(operation, record, inner)
    for (const name of shared)
      if (!contains(record[name], own[name]))
        this.#report(operation, `the record does not have the ${name} that was sent`)
  }

  #report({ operation }: Operation, problem: string): void {
    this.findings.problems.push(`${operation}: ${problem}`)
  }

  #bodyOf({ method, path }: Operation): unknown {
    const body = this.#spec.resolve(this.#spec.operation(method, path)['requestBody'])
    const content = isNode(body['content']) ? body['content'] : {}
    const type = Object.keys(content).find((each) => each.includes('json') || each === '*/*')
    return type === undefined ? undefined : this.#spec.sample(this.#spec.resolve(content[type])['schema'] ?? {}, true)
  }

  async #send(operation: Operation, id: string | undefined, sent: unknown = this.#bodyOf(operation)): Promise<Answer> {
    const { method, path, security = [] } = operation
    const headers = new Headers()
    const query = new URLSearchParams()
    let target = path
    for (const parameter of this.#spec.operation(method, path)['parameters'] as Node[]) {
      const { content, in: place, name, required, schema } = parameter
      if (place !== 'path' && required !== true) continue
      const media = isNode(content) ? Object.values(content)[0] : undefined
      const value = parameter['example'] ?? this.#spec.sample(isNode(media) ? media['schema'] : (schema ?? {}), true)
      const text =
        typeof value === 'string' ? value : Array.isArray(value) ? value.join() : JSON.stringify(value ?? 'x')
      const isId = id !== undefined && path.replace(/\/$/u, '').endsWith(`{${String(name)}}`)
      if (place === 'path') target = target.replace(`{${String(name)}}`, encodeURIComponent((isId ? id : text) || 'x'))
      else if (place === 'query') query.set(String(name), text)
      else if (place === 'header') headers.set(String(name), text)
    }
    for (const scheme of security[0] ?? []) {
      const known = this.#explanation.securitySchemes.find(({ name }) => name === scheme)
      if (!known) continue
      const token = known.kind === 'basic' ? Buffer.from('ada:token').toString('base64') : 'ada:token'
      if (known.in === 'header')
        headers.set(known.parameter, known.prefix === '' ? token : `${known.prefix} ${tokenFor(known.kind)}`)
      else if (known.in === 'query') query.set(known.parameter, token)
      else headers.set('cookie', `${known.parameter}=${token}`)
    }
    const hasBody = sent !== undefined && method !== 'GET' && method !== 'HEAD'
    if (hasBody) headers.set('content-type', this.#typeOf(operation))
    const url = `${this.#url}${target}${query.size > 0 ? `?${query.toString()}` : ''}`
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(hasBody ? { body: JSON.stringify(sent) } : {}),
    })
    const text = await response.text()
    const { status } = response
    this.findings.requests += 1
    if (status >= 400 && status < 500) this.findings.refused += 1
    const contentType = response.headers.get('content-type') ?? ''
    if (method !== 'HEAD')
      for (const problem of this.#spec.problems(method, path, { status, contentType, text }))
        this.#report(operation, problem)
    return { status, body: text === '' || !contentType.includes('json') ? undefined : JSON.parse(text) }
  }

  #typeOf({ method, path }: Operation): string {
    const body = this.#spec.resolve(this.#spec.operation(method, path)['requestBody'])
    const type = Object.keys(isNode(body['content']) ? body['content'] : {}).find((each) => each.includes('json'))
    return type ?? 'application/json'
  }
}

/** The token of the caller, as the fixture has it for a kind of credential. */
export const tokenFor = (kind: string): string =>
  kind === 'basic' ? Buffer.from('ada:token').toString('base64') : kind === 'bearer' ? 'ada-token' : 'ada:token'

/** A body that names the record that it is sent to. */
const withId = (body: unknown, idProperty: string, id: unknown): unknown =>
  isNode(body) && idProperty in body ? { ...body, [idProperty]: id } : body

/** Tells whether a stored value has all that was sent. Null removes a property in a merge patch. */
const contains = (stored: unknown, sent: unknown): boolean => {
  if (Array.isArray(sent)) return Array.isArray(stored) && sent.every((item, index) => contains(stored[index], item))
  if (!isNode(sent)) return isDeepStrictEqual(stored, sent)
  return (
    isNode(stored) && Object.entries(sent).every(([name, value]) => !(name in stored) || contains(stored[name], value))
  )
}

/** Tells whether a value holds a property with a value, at any depth. */
function holds(value: unknown, name: string, expected: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isNode(value) && value[name] === expected) return true
  return Object.values(value).some((inner) => holds(inner, name, expected))
}
