/** Writes states, records and templates of records as documents, and as their text, for fixtures, the state file and the control plane. */
import type { SecurityScheme } from '../../contract/security.js'
import { type JsonObject, objectAt, objectOf, textOf } from '../../documents/object.js'
import { withoutProperties } from '../json.js'
import { entriesOf, entryDocument, type Records } from '../records/records.js'
import type { State } from '../records/state.js'
import type { Collection, Resources } from '../resources.js'

/** Reading the document gives an equal state. Keys that begin with `$` belong to the double, every other key to the contract. */
export function toDocument(state: State): JsonObject {
  return Object.fromEntries([
    ...headOf(state),
    ...collectionsOf(state, (records) => [...entriesOf(records)].map(entryDocument)),
  ])
}

/** Lists the collections of a state as a document has them. A singleton that no request has written is left out. @param write - Writes their records. */
export const collectionsOf = (
  { collections }: State,
  write: (records: Records) => readonly unknown[],
): readonly (readonly [name: string, value: unknown])[] =>
  [...collections].flatMap(([name, records]) => {
    const written = write(records)
    return records.isSingle ? written.map((single) => [name, single] as const) : [[name, written] as const]
  })

/** Writes a state as text: the text of `toDocument`, with one record in each line. */
export const toText = (state: State): string => Buffer.concat(toBytes(state)).toString()

/** Writes a state as the bytes of `toText`, in parts. Records that did not change have the same parts as before. */
export function toBytes(state: State): readonly Buffer[] {
  const head = headOf(state).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  const parts: Buffer[] = []
  let text = ['{', head.join(',\n')].filter((part) => part !== '').join('\n')
  for (const [name, { chunks, isSingle, size }] of state.collections) {
    if (isSingle && size === 0) continue
    const [open, close] = isSingle ? ['', ''] : ['[', ']']
    text += `${text === '{' ? '' : ','}\n  ${JSON.stringify(name)}: ${open}`
    for (const [index, chunk] of chunks.entries()) {
      parts.push(index === 0 ? Buffer.from(`${text}\n`) : betweenRecords, chunk.bytes)
      text = '\n  '
    }
    text += close
  }
  return [...parts, Buffer.from(`${text}\n}\n`)]
}

const betweenRecords = Buffer.from(',\n')

/** Returns the keys of a document that belong to the double. */
export function headOf(state: State): readonly (readonly [key: string, value: unknown])[] {
  const { callers, description, origin } = state
  const numbers = [...state.collections].filter(([, records]) => !records.isNumberImplied)
  const lastIds = Object.fromEntries(numbers.map(([name, { lastNumber }]) => [name, lastNumber]))
  return [
    ...(description === undefined ? [] : [['$description', description] as const]),
    ...(callers.length === 0 ? [] : [['$callers', callersDocument(state)] as const]),
    ...(origin === undefined ? [] : [['$seed', origin] as const]),
    ...(numbers.length === 0 ? [] : [['$lastIds', lastIds] as const]),
  ]
}

export const callersDocument = ({ callers }: State): JsonObject =>
  Object.fromEntries(
    callers.map(({ name, records, tokens }) => {
      const token = tokens.get('')
      const credentials = token === undefined ? { tokens: Object.fromEntries(tokens) } : { token }
      return [name, { ...credentials, ...(records === undefined ? {} : { record: Object.fromEntries(records) }) }]
    }),
  )

const callerName = 'demo'

/** "You can use the api key `special-key`". */
const toldKey = /\buse the api.?key [`"']([\w-]+)[`"']/iu

function tokenFor({ kind }: SecurityScheme, description: string): string {
  const told = kind === 'apiKey' ? toldKey.exec(description)?.[1] : undefined
  return told ?? (kind === 'basic' ? `${callerName}:${callerName}` : 'demo-token')
}

/** Creates a document without records. If an operation reads credentials, it has one caller with a credential for each scheme. */
export function createStartingDocument({ contract }: Resources): JsonObject {
  if (contract.operations.every(({ security }) => security.length === 0)) return {}
  const { document, securitySchemes } = contract
  const description = textOf(objectAt(objectOf(document), 'info')['description'])
  const tokens = Object.fromEntries(
    [...securitySchemes.values()].map((each) => [each.name, tokenFor(each, description)]),
  )
  const [token, ...others] = new Set(Object.values(tokens))
  return { $callers: { [callerName]: others.length === 0 ? { token } : { tokens } } }
}

/** A placeholder of each type for a parent. The user replaces it. */
const unknownParents = { string: '', integer: 0, number: 0, boolean: false } as const

/** Returns a record in the form of a document, from the first example of the contract that shows a record, without its id. Empty if none does. */
export function newRecordTemplate({ model: { idProperty, parents, shown } }: Collection): JsonObject {
  const record = shown.map(({ example }) => example()).find((each) => each !== undefined)
  const outside = parents.filter(({ property }) => property === undefined)
  const $parents = Object.fromEntries(outside.map(({ key, type }) => [key, unknownParents[type]]))
  return { ...withoutProperties(record ?? {}, [idProperty]), ...(outside.length > 0 ? { $parents } : {}) }
}
