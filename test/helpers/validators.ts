/** The validators of a process: one for each version of each spec. */
import { statSync } from 'node:fs'

import type { ResponseValidator } from './independent-validator.js'
import { createValidator } from './independent-validator.js'

const validators = new Map<string, ResponseValidator>()

/** Returns the validator of a spec, with its current content. @param spec - Default: that of the package. */
export function validatorOf(spec?: string): ResponseValidator {
  const key = spec === undefined ? '' : `${spec} ${statSync(spec).mtimeMs}`
  const validator = validators.get(key) ?? createValidator(spec)
  validators.set(key, validator)
  return validator
}
