/** `insights-double schema`: prints the JSON Schema of fixtures. */
import { loadService } from '../contract/load-service.js'
import { addFlagToHints } from '../documents/problem.js'
import { print } from '../node-process.js'
import { doubleOptions } from '../options.js'
import { fixtureSchema } from '../resources/document/fixture-schema.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Prints the JSON Schema of the fixtures of a contract. */
export async function runSchema({ valueOf }: ParsedArguments): Promise<void> {
  const { contract, resources } = await loadService(valueOf('spec') ?? doubleOptions.spec.default).catch(
    (error: unknown) => {
      throw addFlagToHints('--spec', error)
    },
  )
  print(`${JSON.stringify(fixtureSchema(resources, contract.title.replace(/ service$/iu, '')), null, 2)}\n`)
}
