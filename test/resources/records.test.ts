import test from 'ava'
import fc from 'fast-check'

import { selectPage } from '#src/resources/query/select-page.js'
import {
  Chunk,
  addEntry,
  createRecords,
  entriesOf,
  findEntry,
  removeEntry,
  replaceEntry,
} from '#src/resources/records/records.js'
import type { Entry, NewEntry, Records } from '#src/resources/records/records.js'

const entry = (key: string): NewEntry => ({ key, record: { id: key }, access: undefined, parents: undefined })
const many = (size: number): Records =>
  createRecords(
    Array.from({ length: size }, (_, at) => entry(`r-${at}`)),
    0,
    true,
  )
const keys = (entries: Iterable<Entry>): readonly string[] => [...entries].map(({ key }) => key)

test('records behave like an array with a map after any changes', async (t) => {
  const step = fc.tuple(fc.constantFrom('add', 'replace', 'remove'), fc.nat(120))
  fc.assert(
    fc.property(fc.nat(100), fc.array(step, { maxLength: 200 }), (size, steps) => {
      let records = many(size)
      const first = records
      let list = keys(entriesOf(records))
      const before = list
      for (const [name, at] of steps) {
        const key = `r-${at}`
        const isThere = list.includes(key)
        if (name === 'add' && !isThere) {
          records = addEntry(records, entry(key), 0)
          list = list.concat(key)
        } else if (name === 'replace') records = replaceEntry(records, key, { record: { id: key, changed: true } })
        else if (name === 'remove') {
          records = removeEntry(records, key)
          list = list.filter((each) => each !== key)
        }
        const found = findEntry(records, key)
        if ((found !== undefined) !== list.includes(key)) throw new Error(`${key} after ${name}`)
      }
      t.deepEqual(keys(entriesOf(records)), list)
      t.is(records.size, list.length)
      // Earlier versions have not changed.
      t.deepEqual(keys(entriesOf(first)), before)
    }),
    { numRuns: 100 },
  )
})

test('a page reads only the chunks that it needs', async (t) => {
  const records = many(10_000)
  let looked = 0
  const visibleTo = Chunk.prototype.visibleTo
  const counted = records.chunks.map((chunk) =>
    Object.assign(Object.create(chunk) as Chunk, {
      visibleTo: (caller: string | undefined) => {
        looked += 1
        return visibleTo.call(chunk, caller)
      },
    }),
  )
  const selection = { filters: [], order: [], page: 0, skip: 60, cap: 20, cursor: undefined }
  const page = selectPage({ ...records, chunks: counted }, 'ada', selection, undefined, false)
  t.deepEqual(keys(page.entries), keys([...entriesOf(records)].slice(60, 80)))
  t.is(looked, 2)
})

test('a change keeps the unchanged chunks', async (t) => {
  const records = many(10_000)
  const next = replaceEntry(records, 'r-5000', { record: { id: 'r-5000', changed: true } })
  const changed = next.chunks.filter((chunk, at) => chunk !== records.chunks[at])
  t.is(changed.length, 1)
  t.is(next.index, records.index)
})
