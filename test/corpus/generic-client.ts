/** A generic client. It uses only `GET /__admin/collections`, and the spec for request bodies. */
import type { Explanation } from 'insights-double'

import { cycleCollection } from './collection-cycle.js'
import { isNode, type Node, type Spec } from './independent-spec.js'

export interface Findings {
  requests: number
  refused: number
  readonly problems: string[]
}

type Operation = Explanation['operations'][number]

export interface Answer {
  readonly status: number
  /** Undefined: none, or no JSON. */
  readonly body: unknown
  /** The path parameters that were sent, without the id of a record. */
  readonly pathValues: Readonly<Record<string, string>>
}

/** Sends requests to a double, and validates every response. */
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
  async sendAll(): Promise<void> {
    for (const operation of this.#explanation.operations) await this.send(operation, undefined)
  }

  /** Creates, reads, lists, updates, replaces and removes in every collection, and compares the records with the sent ones. */
  async cycleAll(): Promise<void> {
    for (const collection of this.#explanation.collections) await cycleCollection(this, collection)
  }
  find(name: string): Operation | undefined {
    return this.#explanation.operations.find(({ operation }) => operation === name)
  }

  async state(): Promise<Readonly<Record<string, readonly Node[]>>> {
    return (await (await fetch(`${this.#url}/__admin/state`)).json()) as Record<string, Node[]>
  }

  /** Returns the effect of the default values of a listing's parameters: the cap, and whether records may be left out or sorted. */
  defaultsOf({ method, parameters, path }: Operation) {
    const given = (this.#spec.operation(method, path)['parameters'] as Node[]).flatMap((parameter) => {
      const schema = this.#spec.resolve(parameter['schema'])
      const { acts = null } = parameters.find(({ name }) => name === parameter['name']) ?? {}
      const isSent = parameter['required'] === true || schema['default'] !== undefined
      return parameter['in'] === 'query' && isSent ? [{ acts, value: schema['default'] }] : []
    })
    const caps = given.flatMap(({ acts, value }) => (acts?.kind === 'cap' && typeof value === 'number' ? [value] : []))
    const isFilter = ({ acts, value }: (typeof given)[number]): boolean =>
      acts?.kind === 'select' || (acts !== null && value === undefined)
    const isSorted = given.some(({ acts }) => acts?.kind === 'sort')
    return { cap: Math.min(Infinity, ...caps), isFiltered: given.some(isFilter), isSorted }
  }

  report({ operation }: Operation, problem: string): void {
    this.findings.problems.push(`${operation}: ${problem}`)
  }

  /** Samples the body of a request. Undefined: it has none. */
  bodyOf({ method, path }: Operation): unknown {
    const content = this.#contentOf({ method, path })
    const type = Object.keys(content).find((each) => each.includes('json') || each === '*/*')
    return type === undefined ? undefined : this.#spec.sample(this.#spec.resolve(content[type])['schema'] ?? {}, true)
  }

  /** Sends a request and validates the response. @param id - The record that the path names. */
  async send(operation: Operation, id: string | undefined, sent: unknown = this.bodyOf(operation)): Promise<Answer> {
    const { method, path, security = [] } = operation
    const headers = new Headers()
    const query = new URLSearchParams()
    const pathValues: Record<string, string> = {}
    let target = path
    for (const parameter of this.#spec.operation(method, path)['parameters'] as Node[]) {
      const { content, in: place, name, required, schema } = parameter
      if (place !== 'path' && required !== true) continue
      const media = isNode(content) ? Object.values(content)[0] : undefined
      const value = parameter['example'] ?? this.#spec.sample(isNode(media) ? media['schema'] : (schema ?? {}), true)
      const text =
        typeof value === 'string' ? value : Array.isArray(value) ? value.join() : JSON.stringify(value ?? 'x')
      const isId = id !== undefined && path.replace(/\/$/u, '').endsWith(`{${String(name)}}`)
      if (place === 'path') {
        const own = (isId ? id : text) || 'x'
        if (!isId) pathValues[String(name)] = own
        target = target.replace(`{${String(name)}}`, encodeURIComponent(own))
      }
      if (place === 'query') query.set(String(name), text)
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
    const type = Object.keys(this.#contentOf(operation)).find((each) => each.includes('json'))
    if (hasBody) headers.set('content-type', type ?? 'application/json')
    const url = `${this.#url}${target}${query.size > 0 ? `?${query.toString()}` : ''}`
    const content = hasBody ? { body: JSON.stringify(sent) } : {}
    const response = await fetch(url, { method, headers, redirect: 'manual', ...content })
    const text = await response.text()
    const { status } = response
    this.findings.requests += 1
    if (operation.neverSent?.includes(String(status)) === true)
      this.report(operation, `responds ${status}, which \`explain\` says is never sent`)
    if (status >= 400 && status < 500) this.findings.refused += 1
    const contentType = response.headers.get('content-type') ?? ''
    if (method !== 'HEAD')
      for (const problem of this.#spec.problems(method, path, { status, contentType, text }))
        this.report(operation, problem)
    return { status, pathValues, body: text === '' || !contentType.includes('json') ? undefined : JSON.parse(text) }
  }
  #contentOf({ method, path }: Pick<Operation, 'method' | 'path'>): Node {
    const { content } = this.#spec.resolve(this.#spec.operation(method, path)['requestBody'])
    return isNode(content) ? content : {}
  }
}

/** The token of the caller, as the fixture has it for a kind of credential. */
export const tokenFor = (kind: string): string =>
  kind === 'basic' ? Buffer.from('ada:token').toString('base64') : kind === 'bearer' ? 'ada-token' : 'ada:token'
