import type { BodyContent, Json, Operation } from '../contract/contract.js'
import { generateMinimalValue, type ValueUse } from '../contract/generate.js'
import { parameterNames } from '../contract/path-template.js'
import { examplesAt } from '../contract/references.js'
import { itemsOf, objectSchema, propertyNames, propertySchema, typesOf } from '../contract/schemas/read-schema.js'
import { operationCursor, type SpecPath } from '../contract/spec-places.js'
import { isObject, type JsonObject, listOf, objectOf, setProperty } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import type { PulledListing, PulledState } from '../pull/pull.js'
import { pagingOf } from '../pull/read-listing.js'
import type { GivenValues } from '../pull/requests.js'
import { credentialFor, fillPath, isSegment, possibleValue, requiredQuery, withQuery } from '../pull/requests.js'
import type { RoleName } from '../resources/explanation.js'
import { uuidText } from '../resources/ids.js'
import { idOf } from '../resources/infer/id-property.js'
import { holdersByPath } from '../resources/infer/parents.js'
import type { Service } from '../resources/load-service.js'
import type { Collection } from '../resources/resources.js'
import type { Permissions } from './permissions.js'
import {
  type Credential,
  isSafeMethod,
  jsonContent,
  type Probe,
  type ProbedOperation,
  type ProbeStep,
  stepOf,
} from './probe.js'

/** Finds the probes of one kind of an operation. To add a kind, write such a function in `probes/`, and add it to the list in `verify.ts`. */
export type ProbeKind = (probed: ProbedOperation, context: ProbeContext) => readonly Probe[]

const malformed = ['a b', 'x'.repeat(300), 'not!an!id', 'abc', '-1']

export type ProbeContext = ReturnType<typeof createProbeContext>

interface ProbeContextOptions {
  readonly service: Service
  readonly pulled: PulledState
  /** Names. */
  readonly callers: readonly string[]
  /** Default: none. */
  readonly permissions?: Permissions
  /** A part of made-up ids, so that each run uses other ids: 8 hexadecimal digits. Default: zeros, for a run that sends nothing. */
  readonly nonce?: string
  /** The values of `--value`. */
  readonly given?: GivenValues | undefined
  /** The names of `--header`. */
  readonly fixedHeaders?: readonly string[]
}

export function createProbeContext(options: ProbeContextOptions) {
  const { callers, fixedHeaders = [], nonce = '00000000', pulled } = options
  const permissions: Permissions = options.permissions ?? new Map()
  const given: GivenValues = options.given ?? new Map()
  const { contract, decisionFor, resources } = options.service
  // Ids of every common format. The numbers are far from those in use.
  const madeUpIds = [
    `verify-${nonce}`,
    String(900_000_000 + (Number.parseInt(nonce, 16) % 90_000_000)),
    `00000000-0000-4000-8000-${nonce.padStart(12, '0').slice(-12)}`,
    nonce.padStart(24, '0').slice(-24),
    `verify${nonce}`,
  ]
  /** A given value of such a name is that of a record that exists, so it is not the id of a new one. */
  const inPaths = new Set(contract.operations.flatMap(({ path }) => parameterNames(path)))
  const all = contract.operations.map((operation) => toProbed(operation))
  /** Those for which a request can be created. */
  const operations = all.filter(({ unfilled }) => unfilled === undefined)

  const sibling = ({ collection }: ProbedOperation, role: RoleName): ProbedOperation | undefined =>
    operations.find((each) => each.collection === collection && each.decision.role === role)

  function credentialOf(operation: Operation, caller: string | undefined): Credential {
    const name = operation.secured ? caller : undefined
    return (tokenOf) => credentialFor(operation, name === undefined ? undefined : tokenOf(name))
  }

  /** Returns the records of a collection under the parents of its first listing, and the names of the callers that see each. None: no credential is needed. */
  function recordsOf(collection: Collection | undefined) {
    if (!collection) return []
    const path = listingOf(collection)?.source.path
    const own = pulled.listings.filter(({ source }) => source.path === path)
    return listOf(pulled.document[collection.name])
      .filter(isObject)
      .flatMap((record) => {
        const id = idOf(collection.model, record)
        const shown = own.filter((listing) => listing.records.has(JSON.stringify(id)))
        if (!isSegment(id) || shown.length === 0) return []
        const seenBy = shown.flatMap(({ caller }) => (caller ? [caller.name] : []))
        const { $access: _access, $parents: _parents, ...properties } = record
        return [{ id: String(id), record: properties, seenBy: callers.length === 0 ? [] : seenBy }]
      })
  }

  /** Creates bodies of the first record, with other values of the properties that tell records apart, wherever these values are. */
  function bodiesLikeRecords(
    collection: Collection | undefined,
    schema: unknown,
    isLeast: boolean,
  ): readonly unknown[] {
    const { properties, required } = objectSchema(objectOf(schema)) ?? {}
    const known = recordsOf(collection)
    // Records that break the contract are not known, but the service accepts bodies like them.
    const listed = [...((collection && listingOf(collection)?.records) ?? [])].map(([, record]) => ({ record }))
    const records = known.length > 0 ? known : listed
    const [first] = records
    if (!collection || !first || !properties || properties.size === 0) return []
    const { idProperty } = collection.model
    const isId = (name: string): boolean =>
      name === idProperty || /(?:id|name|slug|key|code|login|email|title|alias)$/iu.test(name)
    const isUnique = ([name, value]: readonly [string, unknown]): boolean =>
      isId(name) && records.every(({ record }) => record === first.record || record[name] !== value)
    const telling = Object.entries(first.record).filter(isUnique)
    const isSent = ([name, value]: readonly [string, unknown]): boolean => {
      const isMade = name === idProperty && telling.every(([other, text]) => other === name || text !== value)
      const its = properties.get(name)
      return its !== undefined && its['readOnly'] !== true && (required?.has(name) === true || !isMade)
    }
    const sent = Object.entries(first.record).filter(isSent)
    // Some services want a list that their records do not show.
    const lists = [...properties].filter(([name, its]) => !Object.hasOwn(first.record, name) && its['type'] === 'array')
    const texts = telling.flatMap(([, value]) => (typeof value === 'string' && value.length > 1 ? [value] : []))
    const other = (old: string, join: string): string =>
      (uuidText.test(old) ? madeUpIds.find((id) => uuidText.test(id)) : undefined) ??
      old.replace(/[\p{L}\p{N}]+/u, (word) => `${word}${join}${nonce}`)
    const withOtherIds = (body: JsonObject, join: string): unknown =>
      JSON.parse(JSON.stringify(body), (_key, value: unknown) =>
        typeof value === 'string'
          ? texts.reduce((text, old) => text.replaceAll(old, () => other(old, join)), value)
          : value,
      )
    const likeRecord = Object.fromEntries(sent)
    const ofLists = Object.fromEntries(lists.map(([name]) => [name, []]))
    // Some refuse the empty values that they have filled in themselves.
    const isFull = ([, value]: readonly [string, unknown]): boolean => Boolean(Array.isArray(value) ? value[0] : value)
    const withoutEmpty = { ...Object.fromEntries(sent.filter(isFull)), ...ofLists }
    // A record inside may be one that the removal of the new record removes, too.
    const isRecord = ([name, value]: readonly [string, unknown]): boolean =>
      isObject(value) && Object.hasOwn(value, 'id') && required?.has(name) !== true
    const alone = sent.some(isRecord) ? [Object.fromEntries(sent.filter((each) => !isRecord(each)))] : []
    const isNeeded = ([name]: readonly [string, unknown]): boolean =>
      required?.has(name) === true || isId(name) || properties.get(name)?.['enum'] !== undefined
    const needed = Object.fromEntries(sent.filter(isNeeded))
    const least = isLeast ? [{ ...needed, ...ofLists }, needed] : []
    const bodies = [...least, ...alone, likeRecord, { ...likeRecord, ...ofLists }, withoutEmpty]
    return bodies.flatMap((body) => [withOtherIds(body, '-'), withOtherIds(body, '')])
  }

  function listingOf(collection: Collection): PulledListing | undefined {
    const own = pulled.listings.filter(({ source }) => source.collection === collection)
    return own.find(({ records }) => records.size > 0) ?? own[0]
  }

  function isValidId({ collection, operation, query }: ProbedOperation, id: string, parameter?: string): boolean {
    const name = parameter ?? collection?.model.parameter?.name ?? parameterNames(operation.path).at(-1) ?? ''
    const path = { ...pathValues(operation), [name]: encodeURIComponent(id) }
    const { violations } = contract.checkRequest(operation, { path, query, headers: {} })
    return !violations.some(({ location, severity }) => severity === 'Error' && location.includes(name))
  }

  /** Returns a value of each path parameter: a given one, the id of a record, an example, or a generated one. */
  function pathValues(operation: Operation): Readonly<Record<string, string>> {
    const values: Record<string, string> = {}
    for (const parameter of operation.parameters.filter(({ in: place }) => place === 'path')) {
      const { name } = parameter
      const [named] = holdersByPath(operation.path, name, resources.collections)
      const [record] = recordsOf(named)
      // The parents before it are those of this record.
      const parents = record && named ? Object.entries(listingOf(named)?.source.parents ?? {}) : []
      for (const [other, value] of parents) setProperty(values, other, String(value))
      const value = given.get(name) ?? record?.id ?? possibleValue(contract, operation, parameter)
      setProperty(values, name, String(value))
    }
    return values
  }

  function isValidBody(operation: Operation, content: BodyContent, body: unknown): body is Json {
    const request = { path: {}, query: '', headers: {}, body: body as Json, content }
    const { violations } = contract.checkRequest(operation, request)
    return !violations.some(({ location, severity }) => severity === 'Error' && location[1] === 'body')
  }

  /** Replaces the given values in a body, wherever the contract allows them. */
  function withGiven({ collection, operation }: ProbedOperation, body: unknown): unknown {
    const content = jsonContent(operation)
    if (!content || typeof body !== 'object') return body
    const names = new Set(propertyNames(content.schema))
    let known: unknown = body
    for (const [name, text] of given) {
      if (name === collection?.model.idProperty && inPaths.has(name)) continue
      const added = typesOf(propertySchema(content.schema, name))?.has('string') === true ? '' : 0
      const changed: unknown = JSON.parse(
        JSON.stringify(isObject(known) && names.has(name) ? { [name]: added, ...known } : known),
        (key, value: unknown) => (key !== name ? value : typeof value === 'string' ? text : (jsonIn(text) ?? text)),
      )
      if (isValidBody(operation, content, changed)) known = changed
    }
    return known
  }

  function toProbed(operation: Operation): ProbedOperation {
    const decision = decisionFor(operation)
    const isStateful = decision.role !== 'mocked'
    const collection = isStateful ? resources.collections.find(({ name }) => name === decision.collection) : undefined
    const listing = collection && listingOf(collection)
    const { [collection?.model.parameter?.name ?? '']: _id, ...others } = pathValues(operation)
    const values: JsonObject = { ...others, ...listing?.source.parents }
    // A nested collection without any parent has no path.
    const orphans = listing ? [] : (collection?.model.parents ?? []).map(({ parameter }) => parameter)
    const isOrphan = (name: string): boolean => orphans.includes(name) && !given.has(name)
    const unfilled = parameterNames(operation.path).find(
      (name) => Object.hasOwn(others, name) && (!isSegment(values[name]) || isOrphan(name)),
    )
    return {
      operation,
      decision,
      collection,
      unfilled,
      isSafe: isSafeMethod(operation.method),
      isPermitted: isSafeMethod(operation.method) || permissions.has(operation.id),
      path: fillPath(operation.path, values),
      // Many services refuse an empty text, and 0.
      query: requiredQuery(contract, operation, given, 'whole'),
      cap: decision.role === 'list' ? pagingOf(decision).cap : undefined,
      credential: credentialOf(operation, callers[0]),
    }
  }

  return {
    contract,
    pulled,
    callers,
    permissions,
    nonce,
    given,
    fixedHeaders,
    all,
    operations,
    sibling,
    credentialOf,
    recordsOf,
    withGiven,
    /** Returns the records that a caller sees. Undefined: the operation needs no credential. */
    visibleTo(caller: string | undefined, collection: Collection | undefined) {
      return recordsOf(collection).filter(({ seenBy }) => caller === undefined || seenBy.includes(caller))
    },
    /** Returns the ids of all listed records of a collection, also of those that break the contract. */
    knownIds: ({ collection }: ProbedOperation): readonly string[] =>
      pulled.listings
        .filter(({ source }) => source.collection.name === collection?.name)
        .flatMap(({ records }) => [...records.keys()].map((id) => String(JSON.parse(id)))),
    /** Returns an id that is valid by the contract and that no record has. Undefined: none is known. @param parameter - The parameter of the path that it is for. Default: that of the record. */
    madeUpId(probed: ProbedOperation, parameter?: string): string | undefined {
      const taken = recordsOf(probed.collection).map(({ id }) => id)
      const valid = madeUpIds.filter((id) => isValidId(probed, id, parameter) && !taken.includes(id))
      // Some services refuse an id that has not the form of theirs before they look it up.
      const forms = parameter === undefined && taken.length > 0 ? [uuidText, /^\d+$/u] : []
      const form = forms.find((each) => taken.every((id) => each.test(id)))
      return valid.find((id) => form?.test(id)) ?? valid[0]
    },
    /** Finds the lists of other collections whose records contain the id of a record. */
    otherListsWith: (own: Collection | undefined, id: string): readonly ProbedOperation[] =>
      operations.filter(
        ({ collection, decision }) =>
          decision.role === 'list' &&
          collection !== own &&
          recordsOf(collection).some(({ record }) => JSON.stringify(record).includes(JSON.stringify(id))),
      ),
    /** Returns at most two ids that break the contract. */
    malformedIds(probed: ProbedOperation): readonly string[] {
      return malformed.filter((id) => !isValidId(probed, id)).slice(0, 2)
    },
    /** Returns the path of an operation with an id, percent-encoded. */
    itemTarget({ collection, path }: ProbedOperation, id: string): string {
      return fillPath(path, { [collection?.model.parameter?.name ?? '']: id })
    },
    /** Creates the request that lists most records of a collection. Empty: it has no listing. */
    listAll(probed: ProbedOperation, tests: SpecPath, caller: string | undefined): readonly ProbeStep[] {
      const list = sibling(probed, 'list')
      if (!list) return []
      const query = (list.collection && listingOf(list.collection)?.query) ?? list.query
      const step = stepOf(list, withQuery(list.path, query), tests)
      return [{ ...step, credential: credentialOf(list.operation, caller ?? callers[0]) }]
    },
    /**
     * Lists bodies that the contract allows: made of a record, which the service accepts best, the examples, a generated one.
     * @param isLeast - True if the first has only what is required, what tells records apart, and values of enums.
     */
    validBodies(probed: ProbedOperation, isLeast = false): readonly Json[] {
      const { collection, operation } = probed
      const content = jsonContent(operation)
      if (!content) return []
      const media = operationCursor(contract, operation).at('requestBody').at('content').at(content.mediaType)
      const generate = (schema: JsonObject, use: ValueUse = 'request'): unknown =>
        generateMinimalValue(contract.document, schema, use)
      const items = itemsOf(content.schema)
      const generated = [
        ...(items ? [[generate(items)], [generate(items, 'whole')]] : []),
        generate(content.schema),
        generate(content.schema, 'whole'),
      ]
      // Most services make the ids, and refuse one that is in use.
      const withoutId = (body: unknown): unknown => {
        const { id: _id, ...others } = objectOf(body)
        return Array.isArray(body) ? listOf(body).map(withoutId) : others
      }
      const created = operation.method === 'POST' ? generated.map(withoutId) : []
      const like = bodiesLikeRecords(collection, content.schema, isLeast)
      const made = [...like, ...examplesAt(media), ...generated, ...created]
      const sent = [...made, ...(given.size > 0 ? made.map((body) => withGiven(probed, body)) : [])]
      const bodies = sent.filter((body) => isValidBody(operation, content, body))
      // An empty list says nothing.
      return bodies.filter((body) => !Array.isArray(body) || body.length > 0)
    },
  }
}

/** Returns the path of a listing with a query that makes it short, and with a further query. */
export const shortTarget = (probed: ProbedOperation, further = ''): string =>
  withQuery(probed.path, probed.query, capQuery(probed), further)

/** Returns the query that makes a listing short. Empty if there is no cap. */
export const capQuery = ({ cap }: ProbedOperation): string => (cap ? `${cap.name}=2` : '')
