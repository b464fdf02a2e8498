import { print } from '../node-process.js'
import { fixtureSchema } from '../resources/document/fixture-schema.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'

export async function runSchema(parsed: ParsedArguments): Promise<void> {
  const { contract, resources } = await loadSpecFlag(parsed)
  print(`${JSON.stringify(fixtureSchema(resources, contract.title), null, 2)}\n`)
}
