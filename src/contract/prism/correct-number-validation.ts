/**
 * Corrects how Ajv validates numbers. For `multipleOf` it compares a quotient with an integer, and so refuses 0.07 as a multiple of 0.01.
 * Without `strictNumbers` it accepts Infinity and NaN, which JSON does not have.
 */
import type { FuncKeywordDefinition } from 'ajv'
import { Ajv } from 'ajv'

const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  validate: isMultiple,
  error: { message: ({ schema }) => `must be multiple of ${String(schema)}` },
}

/** Tells whether a number is a multiple of a step, except for the rounding of both and of their quotient. */
function isMultiple(step: number, value: number): boolean {
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= 2 * Number.EPSILON * Math.abs(quotient)
}

/** Corrects every instance of Ajv when it first compiles a schema. Prism does not export its instances, and gives them no option for this. */
export function correctNumberValidation(): void {
  const core = Object.getPrototypeOf(Ajv.prototype) as Ajv
  const compile = core.compile
  core.compile = function (this: Ajv, ...input: Parameters<typeof compile>) {
    this.opts.strictNumbers = true
    const known = this.getKeyword('multipleOf')
    const isCorrected = typeof known === 'object' && 'validate' in known && known.validate === isMultiple
    if (!isCorrected) this.removeKeyword('multipleOf').addKeyword(multipleOf)
    return compile.apply(this, input)
  } as typeof compile
}
