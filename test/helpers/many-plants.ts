/** A contract with all six roles and query parameters, and fixtures of any size for it. */
import { join } from 'node:path'

import { packageFolder } from './files.js'

/** The spec: one collection, `plants`, with all six roles. */
export const plantsSpec = join(packageFolder, 'test', 'specs', 'plants.yaml')

/** The rooms of the plants. Each has a tenth of the plants. */
export const rooms = ['attic', 'balcony', 'bath', 'cellar', 'garden', 'hall', 'kitchen', 'office', 'porch', 'study']

export type Plant = Readonly<Record<string, unknown>> & { readonly id: string }

/** Creates plants of about 350 bytes each, with the ids `plant-1`, `plant-2`, … */
export const makePlants = (count: number): readonly Plant[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `plant-${index + 1}`,
    name: `Plant ${index + 1}`,
    room: rooms[index % rooms.length],
    thirsty: index % 3 === 0,
    heightCm: index % 200,
    about: 'Water it when the upper two centimetres of soil are dry. '.repeat(4),
    createdAt: '2026-01-12T09:30:00.000Z',
  }))

/** Returns the text of a fixture with plants. The caller `ada` has the token `ada-token`. */
export const plantsFixture = (plants: readonly Plant[]): string =>
  JSON.stringify({ $callers: { ada: { token: 'ada-token' } }, plants })

/** Writes a fixture. The caller ada has access to every record. */
export function largeFixture(records: number): string {
  const lines = Array.from({ length: records }, (_, index) =>
    JSON.stringify({
      id: `record-${index + 1}`,
      content: `Record ${index + 1}. `.padEnd(300, 'One in four reviews of this plant mentions "yellow leaves". '),
      tag: 'care',
      title: 'Monsteras are watered too often',
      source: 'Customer reviews, week 2',
      createdAt: '2026-01-12T09:30:00Z',
    }),
  )
  return `{"$callers":{"ada":{"token":"ada-token"}},"insights":[\n${lines.join(',\n')}\n]}\n`
}
