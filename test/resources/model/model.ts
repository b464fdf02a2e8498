/** The rules in plain JavaScript: a list of records and a loop. Independent of the engine, slow and simple. */
import { isDeepStrictEqual } from 'node:util'

import { exampleRecord, type Facts, type Json, type Operation, type Property } from './contracts.js'

/** A request to the double and to the model. */
export interface ModelRequest {
  readonly operation: Operation
  readonly caller: string
  readonly id: string | number
  readonly query: Readonly<Record<string, string | number | boolean>>
  readonly body: Json
}

/** The response to a request. The body of an error is undefined here. */
export interface ModelResponse {
  readonly status: number
  readonly body: unknown
}

interface Row {
  readonly record: Json
  readonly access: readonly string[] | undefined
}

/** Returns the role of an operation. Undefined: it is mocked. */
export function expectedRole(facts: Facts, operation: Operation): string | undefined {
  const has = (...names: readonly Operation[]): boolean => names.some((name) => facts.operations.includes(name))
  const [isOnItem, changes] = [has('read', 'put', 'patch', 'delete'), has('put', 'patch', 'delete')]
  // Without a path of a record, a list and a create are needed; without that of the list, a read and a change.
  const isCollection = has('list', 'create') ? isOnItem || (has('list') && has('create')) : has('read') && changes
  if (!isCollection) return undefined
  // A parameter limit that is a property filters, or else limits. It is never required, so it needs no check here.
  if (operation === 'delete') return 'remove'
  if (operation === 'patch') return 'update'
  // A body that requires nothing may be a part of the record, unless its text says that it replaces it.
  return operation === 'put' ? (facts.wholePut ? 'replace' : 'update') : operation
}

/** A service that follows the rules. */
export class Model {
  readonly #facts: Facts
  readonly #now: string
  #rows: Row[]
  #ids: (string | number)[]
  #least: number

  /** @param records - The records of the fixture, with `$access`. All have ids, or none if ids are integers. */
  constructor(facts: Facts, records: readonly Json[], now: string) {
    this.#facts = facts
    this.#now = now
    this.#rows = records.map(({ $access, ...record }, index) => ({
      record: { id: facts.idType === 'string' ? `thing-${index + 1}` : index + 1, ...record },
      access: $access as readonly string[] | undefined,
    }))
    this.#least = records.length
    this.#ids = this.#rows.map(({ record }) => record['id'] as string)
  }

  /** All records, with `$access`. */
  get records(): readonly Json[] {
    return this.#rows.map(({ access, record }) => (access ? { ...record, $access: access } : record))
  }

  send(request: ModelRequest): ModelResponse {
    const { operation } = request
    if (operation === 'list') return this.#list(request)
    if (operation === 'create') return this.#create(request)
    const names = operation === 'put' || operation === 'patch'
    if (names && 'id' in request.body && String(request.body['id']) !== String(request.id))
      return { status: 400, body: undefined }
    const taken = this.#rows.find(({ record }) => record['id'] === request.id)
    const row = taken && isVisible(taken, request.caller) ? taken : undefined
    if (!row) {
      const creates = operation === 'put' && !taken && this.#facts.creatingPut && this.#facts.wholePut
      return creates ? this.#add(request, request.id) : { status: 404, body: undefined }
    }
    if (operation === 'read') return { status: 200, body: this.#shown(row.record) }
    if (operation === 'delete') {
      this.#rows = this.#rows.filter((each) => each !== row)
      return this.#facts.removedBody ? { status: 200, body: this.#shown(row.record) } : { status: 204, body: undefined }
    }
    const sent = this.#stored(request.body)
    const replaces = operation === 'put' && this.#facts.wholePut
    const merged: Record<string, unknown> = replaces ? {} : { ...row.record }
    for (const [name, value] of Object.entries(sent)) {
      const old = row.record[name]
      merged[name] = !replaces && isPlain(value) && isPlain(old) ? { ...old, ...value } : value
    }
    for (const { name, nullable, owner, required } of this.#facts.properties) {
      // A null that a record cannot have removes an optional property.
      const isRefused = merged[name] === null && !nullable
      if (isRefused && (!required || owner === 'secret')) delete merged[name]
      else if ((isRefused || owner === 'server') && name in row.record) merged[name] = row.record[name]
    }
    merged['id'] = row.record['id']
    if (!this.#isValid(merged)) return { status: 400, body: undefined }
    this.#rows = this.#rows.map((each) => (each === row ? { ...row, record: merged } : each))
    return { status: 200, body: this.#shown(merged) }
  }
  #list({ caller, query }: ModelRequest): ModelResponse {
    const { defaultLimit, pageBase, properties } = this.#facts
    const own = properties.find(({ name }) => name === 'limit')
    // If a readable integer property is named limit, the parameter limit filters by it.
    const limitFilters = own?.type === 'integer' && own.owner !== 'secret'
    const filters = properties.filter(({ name, owner, type }) =>
      name === 'limit' ? limitFilters : type !== 'object' && owner !== 'secret',
    )
    const { min_size: least, q, sort = '', starting_after: cursor } = query
    const isSent = (name: string): boolean =>
      properties.some((each) => each.name === name && each.owner !== 'secret' && each.type !== 'object')
    const by = String(sort).startsWith('size') ? 'size' : 'title'
    let rows = this.#rows.filter((row) => isVisible(row, caller))
    if (sort !== '' && isSent(by))
      rows = rows.toSorted((one, other) => compare(one.record[by], other.record[by], sort !== 'title'))
    // Without a limit, nothing is cut, and a cursor has no effect.
    const isCursor = cursor !== undefined && !limitFilters
    const at = isCursor ? rows.findIndex(({ record }) => String(record['id']) === cursor) : 0
    if (at === -1) return { status: 400, body: undefined }
    if (isCursor) rows = rows.slice(at + 1)
    if (q !== undefined) rows = rows.filter(({ record }) => hasText(this.#shown(record), String(q).toLowerCase()))
    if (
      least !== undefined &&
      isSent('size') &&
      properties.some(({ name, type }) => name === 'size' && type === 'integer')
    )
      rows = rows.filter(({ record }) => typeof record['size'] === 'number' && record['size'] >= Number(least))
    for (const { name } of filters) if (name in query) rows = rows.filter(({ record }) => record[name] === query[name])
    const fallback = own ? undefined : defaultLimit
    const limit = limitFilters ? undefined : ((query['limit'] as number | undefined) ?? fallback)
    let skip = (query['offset'] as number | undefined) ?? 0
    const page = ((query['page'] as number | undefined) ?? pageBase) - pageBase
    // Without a limit the length of a page is unknown. If no parameter limits, page has no effect.
    if (!limitFilters && page > 0) skip = limit === undefined ? rows.length : page * limit
    rows = rows.slice(skip, limit === undefined ? undefined : skip + limit)
    return { status: 200, body: rows.map(({ record }) => this.#shown(record)) }
  }
  #create(request: ModelRequest): ModelResponse {
    const given = this.#facts.idOwner === 'server' ? undefined : (request.body['id'] as string | number | undefined)
    if (given === undefined) return this.#add(request, this.#nextId())
    if (this.#rows.some(({ record }) => record['id'] === given)) return { status: 409, body: undefined }
    return this.#add(request, given)
  }
  #add({ body, caller }: ModelRequest, id: string | number): ModelResponse {
    const record: Record<string, unknown> = { ...this.#stored(body), id }
    const shown = exampleRecord(this.#facts)
    for (const property of this.#facts.properties) {
      const { fallback, name, nullable, owner, type } = property
      if (name in record || owner === 'secret') continue
      if (fallback !== undefined) record[name] = fallback
      else if (owner === 'client') continue
      else if (type === 'date-time' && !nullable) record[name] = this.#now
      else if (type === 'boolean') record[name] = false
      else if (name in shown) record[name] = shown[name]
      // The time of an event that a new record has not had.
      else if (type === 'date-time') record[name] = null
    }
    if (!this.#isValid(record)) return { status: 400, body: undefined }
    // Without a read and a list, its creator could not see it either.
    const isRead = this.#facts.operations.some((each) => each === 'read' || each === 'list')
    this.#rows = [...this.#rows, { record, access: isRead ? [caller] : undefined }]
    this.#ids = [...this.#ids, id]
    return { status: 201, body: this.#shown(record) }
  }
  #nextId(): string | number {
    const numbers = this.#ids.map((id) =>
      typeof id === 'number' ? id : Number(/^thing-([1-9]\d*)$/u.exec(id)?.[1] ?? 0),
    )
    const next = Math.max(this.#least, ...numbers) + 1
    return this.#facts.idType === 'integer' ? next : `thing-${next}`
  }

  /** Returns the part of a body that is stored. */
  #stored(body: Json): Json {
    const { open, properties } = this.#facts
    const known = (name: string): Property | undefined => properties.find((each) => each.name === name)
    return Object.fromEntries(
      Object.entries(body).filter(([name]) => name !== 'id' && (known(name) ? known(name)?.owner !== 'server' : open)),
    )
  }
  #shown(record: Json): Json {
    const secret = new Set(this.#facts.properties.filter(({ owner }) => owner === 'secret').map(({ name }) => name))
    return Object.fromEntries(Object.entries(record).filter(([name]) => !secret.has(name)))
  }

  /** Tells whether a record is valid. Types are always right here, except for null. */
  #isValid(record: Json): boolean {
    return this.#facts.properties.every(({ name, nullable, owner, required }) => {
      if (!(name in record)) return !required || owner === 'secret'
      return nullable || record[name] !== null
    })
  }
}

/** Compares two values for a sort. Null and undefined come last in both directions. */
function compare(one: unknown, other: unknown, isDescending: boolean): number {
  const [isNone, isOtherNone] = [one ?? null, other ?? null].map((value) => value === null)
  if (isNone || isOtherNone) return Number(isNone) - Number(isOtherNone)
  const keyOf = (value: unknown): string | number =>
    typeof value !== 'string' ? Number(value) : /^\d{4}-/u.test(value) ? Date.parse(value) : value
  const [key, otherKey] = [keyOf(one), keyOf(other)]
  const order = key < otherKey ? -1 : Number(key > otherKey)
  return isDescending ? -order : order
}

const hasText = (value: unknown, wanted: string): boolean =>
  (
    JSON.stringify(value, (_key, each: unknown) =>
      typeof each === 'object' ? each : typeof each === 'string' ? each.toLowerCase() : null,
    ).match(/"[^"]*"(?!:)/gu) ?? []
  ).some((text) => text.slice(1, -1).includes(wanted))

const isVisible = ({ access }: Row, caller: string): boolean => access === undefined || access.includes(caller)
const isPlain = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Tells whether two responses agree. The order of properties does not count. */
export const agrees = (one: ModelResponse, other: ModelResponse): boolean =>
  one.status === other.status && isDeepStrictEqual(one.body, other.body)
