/** Creates fixtures of any size from the largest one of the package. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { FixtureRecord, StateDocument } from 'insights-double'

import { packageFolder } from '../helpers/files.js'

export interface Fixture {
  readonly file: string
  /** The list alone, as ready bytes. */
  readonly listFile: string
}

/** Creates a fixture of this number of insights. Every caller has access to all of them. */
export async function makeFixture(folder: string, count: number): Promise<Fixture> {
  const text = await readFile(join(packageFolder, 'fixtures', 'many.json'), 'utf8')
  const many = JSON.parse(text) as StateDocument
  const given = many['insights'] ?? []
  const list = Array.from({ length: count }, (_, index): FixtureRecord => {
    const { $access: _access, ...insight } = given[index % given.length] ?? { content: '' }
    return { ...insight, id: `record-${index + 1}` }
  })
  const file = join(folder, `of-${count}.json`)
  const listFile = join(folder, `list-of-${count}.json`)
  await writeFile(file, JSON.stringify({ $callers: many.$callers, insights: list }))
  await writeFile(listFile, JSON.stringify(list))
  return { file, listFile }
}
