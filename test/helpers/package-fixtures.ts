/** Reads the fixtures of the package, and what each caller sees of them, without the code of the double. */
import type { JsonObject } from './as-object-or-list.js'
import { asList, asObject } from './as-object-or-list.js'
import { readPackageYaml } from './read-repository-file.js'

/** Reads a fixture of the package. */
export async function readFixture(file: string): Promise<JsonObject> {
  return readPackageYaml(`fixtures/${file}`)
}

/** Returns the records of a fixture that a caller has access to: in the order of the file, with ids and without `$access`. */
export function visibleIn(fixture: JsonObject, caller: string): readonly JsonObject[] {
  return asList(fixture['insights']).flatMap((record, index) => {
    const { $access: access, ...insight } = asObject(record)
    if (access !== undefined && !asList(access).includes(caller)) return []
    return [{ id: `insight-${index + 1}`, ...insight }]
  })
}
