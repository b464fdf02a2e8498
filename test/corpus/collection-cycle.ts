/**
 * Creates, reads, lists, updates, replaces and removes records of a collection, and compares each response and the state after it with a plain model: a list
 * of records, in order. It knows only `GET /__admin/collections` and the state.
 */
import { isDeepStrictEqual } from 'node:util'

import type { Explanation } from 'insights-double'

import type { Answer, Client } from './generic-client.js'
import { isNode, type Node } from './independent-spec.js'

type Operation = Explanation['operations'][number]
type Collection = Explanation['collections'][number]

const roles = ['list', 'create', 'read', 'replace', 'update', 'remove'] as const
const unknownId = '999999'

/** Runs the cycle of one collection. The failures are added to the findings of the client. */
export async function cycleCollection(client: Client, collection: Collection): Promise<void> {
  const cycle = new CollectionCycle(client, collection)
  await cycle.createRecords()
  await cycle.checkRecord()
  await cycle.changeRecord('update')
  await cycle.changeRecord('replace')
  await cycle.checkUnknown()
  await cycle.removeRecord()
}

class CollectionCycle {
  readonly #client: Client
  readonly #id: string
  readonly #name: string
  readonly #operations: Readonly<Partial<Record<(typeof roles)[number], Operation>>>
  /** The records that must be there, in order. */
  #model: readonly Node[] = []
  /** The record that the item operations name. */
  #key: unknown
  constructor(client: Client, { id, name, operations }: Collection) {
    this.#client = client
    this.#id = id
    this.#name = name
    this.#operations = Object.fromEntries(
      roles.flatMap((role) => {
        const operation = operations[role] === undefined ? undefined : client.find(operations[role])
        return operation ? [[role, operation]] : []
      }),
    )
  }

  /** Creates two records: they come last, and have the sent values and unique ids. A refusal changes nothing. */
  async createRecords(): Promise<void> {
    this.#model = await this.#records()
    const { create } = this.#operations
    if (create) await this.#createRecord(create)
    if (create) await this.#createRecord(create)
    this.#key ??= this.#model[0]?.[this.#id]
  }
  async #createRecord(create: Operation): Promise<void> {
    const body = this.#client.bodyOf(create)
    // A sampled id may be one that the path does not allow. It is sent only if the contract requires it.
    const { status } = await this.#sendWithoutId(create, body)
    const records = await this.#records()
    const added = status < 300 ? records.at(-1) : undefined
    await this.#expect(create, added ? [...this.#model, added] : this.#model, records)
    if (!added) return
    if (this.#model.some((record) => this.#isSame(record, added)))
      this.#client.report(create, `created the id ${String(added[this.#id])} twice`)
    this.#comparePresent(create, added, body)
    this.#model = records
    this.#key = added[this.#id]
  }

  /** Reads and lists: the responses have the stored values. */
  async checkRecord(): Promise<void> {
    const { list, read } = this.#operations
    const record = this.#record()
    if (!record) return
    const isVisible = ({ security = [] }: Operation): boolean =>
      record['$access'] === undefined || security.flat().length > 0
    if (read && isVisible(read)) {
      const { body, status } = await this.#client.send(read, String(this.#key))
      if (status !== 200) this.#client.report(read, `an existing record gets ${status}`)
      else this.#compareShown(read, findObject(body, this.#id, this.#key), record)
    }
    if (list && isVisible(list)) this.#compareListing(list, await this.#client.send(list, undefined))
    await this.#expect(read ?? list, this.#model)
  }

  /** Changes the record: it has the sent values and its id, and an update keeps all other values. A refusal changes nothing. */
  async changeRecord(role: 'update' | 'replace'): Promise<void> {
    const operation = this.#operations[role]
    const own = this.#record()
    if (!operation || !own) return
    const body = withId(this.#client.bodyOf(operation), this.#id, this.#key)
    const { status } = await this.#client.send(operation, String(this.#key), body)
    const records = await this.#records()
    const changed = status < 300 ? records.find((record) => this.#isSame(record, own)) : own
    const expected = this.#model.map((record) => (record === own ? (changed ?? record) : record))
    await this.#expect(operation, expected, records)
    if (status < 300 && changed) {
      this.#comparePresent(operation, changed, body)
      const inner = isNode(body) ? Object.values(body).flatMap((each) => (isNode(each) ? Object.keys(each) : [])) : []
      const sent = new Set(isNode(body) ? [...Object.keys(body), ...inner] : [])
      const isKept = (name: string): boolean =>
        isDeepStrictEqual(own[name], changed[name]) || isTimeOf(operation, changed[name])
      const lost = Object.keys(own).filter((name) => !sent.has(name) && !isKept(name))
      if (role === 'update' && lost.length > 0)
        this.#client.report(operation, `changed ${lost.join(', ')}, which was not sent`)
    }
    this.#model = records
    await this.checkRecord()
  }

  /** Names an unknown record: a 404, or a 400 if the contract does not allow the id. Nothing changes. */
  async checkUnknown(): Promise<void> {
    const { read, remove, update } = this.#operations
    for (const operation of [read, update, remove]) {
      if (!operation) continue
      const { status } = await this.#client.send(operation, unknownId)
      if (status < 400 || status >= 500) this.#client.report(operation, `an unknown record gets ${status}`)
      await this.#expect(operation, this.#model)
    }
  }

  /** Removes the record, and no other. */
  async removeRecord(): Promise<void> {
    const { read, remove } = this.#operations
    const own = this.#record()
    if (!remove || !own) return
    const { status } = await this.#client.send(remove, String(this.#key))
    if (status >= 300) this.#client.report(remove, `the remove of an existing record gets ${status}`)
    this.#model = this.#model.filter((record) => record !== own)
    await this.#expect(remove, this.#model)
    for (const operation of [read, remove]) {
      if (!operation) continue
      const again = await this.#client.send(operation, String(this.#key))
      if (again.status < 400) this.#client.report(operation, `a removed record gets ${again.status}`)
    }
    await this.#expect(remove, this.#model)
  }
  async #sendWithoutId(create: Operation, body: unknown): Promise<Answer> {
    if (!isNode(body) || !(this.#id in body)) return this.#client.send(create, undefined, body)
    const { [this.#id]: _id, ...others } = body
    const first = await this.#client.send(create, undefined, others)
    return first.status < 300 ? first : this.#client.send(create, undefined, body)
  }
  #record(): Node | undefined {
    return this.#model.findLast((record) => record[this.#id] === this.#key)
  }
  async #records(): Promise<readonly Node[]> {
    return (await this.#client.state())[this.#name] ?? []
  }

  /** Tells whether two records are the same: ids are unique below a parent. */
  #isSame(one: Node, other: Node): boolean {
    return one[this.#id] === other[this.#id] && isDeepStrictEqual(one['$parents'], other['$parents'])
  }

  async #expect(operation: Operation | undefined, expected: readonly Node[], present?: readonly Node[]): Promise<void> {
    const records = present ?? (await this.#records())
    if (!operation || isDeepStrictEqual(records, expected)) return
    const counts = `${records.length} records that differ from the ${expected.length} expected ones`
    this.#client.report(operation, `the state has ${counts}`)
  }

  #compareShown(operation: Operation, shown: Node | undefined, record: Node): void {
    if (!shown) this.#client.report(operation, `the response does not show ${this.#id} ${String(this.#key)}`)
    for (const [name, value] of Object.entries(shown ?? {}))
      if (!contains(record[name], value))
        this.#client.report(operation, `the response has another ${name} than the stored record`)
  }

  /** Compares a stored record with the sent values. The record may have more. */
  #comparePresent(operation: Operation, record: Node, sent: unknown): void {
    const own = isNode(sent) ? sent : {}
    const shared = Object.keys(own).filter((name) => name in record)
    const [inner] = Object.values(own)
    // The body may wrap the record in a property.
    if (shared.length === 0 && isNode(inner)) this.#comparePresent(operation, record, inner)
    const isOwn = (name: string): boolean =>
      name !== this.#id && operation.notStored?.includes(name) !== true && !isTimeOf(operation, record[name])
    for (const name of shared.filter(isOwn))
      if (!contains(record[name], own[name]))
        this.#client.report(operation, `the record does not have the ${name} that was sent`)
  }

  /** A listing has the records of the model, in order: all below the parents that the request named, up to the cap. */
  #compareListing(list: Operation, { body, pathValues, status }: Answer): void {
    // A sampled parent may not exist.
    if (status === 404 && list.effects?.includes('parent') === true) return
    if (status !== 200) return this.#client.report(list, `a listing gets ${status}`)
    const listed = findRecords(body, this.#id)
    const parents = Object.entries(pathValues)
    const isBelow = (record: Node): boolean =>
      parents.every(([name, value]) => [undefined, value].includes(heldParent(record, name, this.#id)))
    const below = this.#model.filter(isBelow)
    const { cap, isFiltered, isSorted } = this.#client.defaultsOf(list)
    const found = listed.flatMap((each) => below.filter((record) => each[this.#id] === record[this.#id]))
    const inOrder = isSorted ? found : below.filter((record) => found.includes(record))
    const expected =
      isFiltered || (isSorted && found.length === Math.min(below.length, cap)) ? inOrder : below.slice(0, cap)
    const ids = (records: readonly Node[]): readonly unknown[] => records.map((record) => record[this.#id])
    if (!isDeepStrictEqual(ids(listed), ids(expected)))
      this.#client.report(list, `lists ${JSON.stringify(ids(listed))}, expected ${JSON.stringify(ids(expected))}`)
    else for (const [index, shown] of listed.entries()) this.#compareShown(list, shown, expected[index] ?? {})
  }
}

/** Tells whether a value may be the time of a change, which the double sets. */
const isTimeOf = ({ effects }: Operation, value: unknown): boolean =>
  effects?.includes('updated') === true && (typeof value === 'number' || !Number.isNaN(Date.parse(String(value))))

const squeeze = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]/gu, '')

/** The value of a parent as text: in the record's property with the name of the parameter, else next to the record. */
function heldParent(record: Node, name: string, id: string): string | undefined {
  const isNamed = (key: string) => key !== id && squeeze(key) === squeeze(name) && typeof record[key] !== 'object'
  const property = Object.keys(record).find(isNamed)
  const beside = isNode(record['$parents']) ? record['$parents'] : {}
  const value = property === undefined ? (beside[name] ?? Object.values(beside)[0]) : record[property]
  return typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value)
}

const withId = (body: unknown, idProperty: string, id: unknown): unknown =>
  isNode(body) && idProperty in body ? { ...body, [idProperty]: id } : body

/** Tells whether a stored value has all of another. Null removes a property in a merge patch. */
const contains = (stored: unknown, other: unknown): boolean => {
  if (Array.isArray(other)) {
    const hasItem = (item: unknown, index: number): boolean => contains((stored as unknown[])[index], item)
    return Array.isArray(stored) && stored.length === other.length && other.every(hasItem)
  }
  if (!isNode(other)) return isDeepStrictEqual(stored, other)
  if (!isNode(stored)) return false
  return Object.entries(other).every(([name, value]) => !(name in stored) || contains(stored[name], value))
}

/** Finds the object with a property of a value, at any depth; the outermost first. */
function findObject(value: unknown, name: string, expected: unknown): Node | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isNode(value) && value[name] === expected) return value
  for (const inner of Object.values(value)) {
    const found = findObject(inner, name, expected)
    if (found) return found
  }
  return undefined
}

/** Finds the list of records in the body of a listing: the first array whose items have the id, at most two levels deep. */
function findRecords(value: unknown, id: string, depth = 0): readonly Node[] {
  if (Array.isArray(value))
    return (value as unknown[]).flatMap((item) => {
      const record =
        isNode(item) && !(id in item) ? Object.values(item).find((inner) => isNode(inner) && id in inner) : item
      return isNode(record) && id in record ? [record] : []
    })
  if (!isNode(value) || depth > 2) return []
  const lists = Object.values(value).map((inner) => findRecords(inner, id, depth + 1))
  return lists.find((found) => found.length > 0) ?? []
}
