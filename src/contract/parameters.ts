/**
 * Parameters as they are written. Prism coerces before it checks, so ` 5`, `0x10`, `1e3` and an empty value pass as integers with
 * it, and it does not hand back what it coerced. Here a value is looked at as text first, and converted once it is known to be right.
 */
import { redacted } from '../redaction.js'
import type { Operation, Parameter, ParameterValue, Violation } from './contract.js'

const lexical: Readonly<Record<Parameter['itemType'], RegExp>> = {
  string: /^/u,
  integer: /^(?:0|-?[1-9]\d*)$/u,
  number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u,
  boolean: /^(?:true|false)$/u,
}

/** The most of a value that a message repeats, in characters. */
const maxQuoted = 100

/** The values a request gives for the parameters of its operation, as text. */
export interface GivenParameters {
  /** By place and name; several where a query parameter is given several times. */
  valuesOf(parameter: Parameter): readonly string[]
}

/** Says that a parameter is wrong: name, rule, and what was received. */
export function parameterViolation(parameter: Parameter, values: readonly string[], code: string): Violation {
  const name = `${parameter.in[0]?.toUpperCase()}${parameter.in.slice(1)} parameter ${parameter.name}`
  const [first] = values
  const got = parameter.isSecret ? redacted : values.map(quote).join(', ')
  const message =
    first === undefined
      ? `${name} is required, and ${parameter.rule}.`
      : values.length > 1 && parameter.type !== 'array'
        ? `${name} must be given once, got ${values.length}: ${got}.`
        : `${name} ${parameter.rule}, got ${got}.`
  return { location: ['request', parameter.in, parameter.name], severity: 'Error', code, message }
}

function quote(value: string): string {
  return JSON.stringify(value.length > maxQuoted ? `${value.slice(0, maxQuoted)}…` : value)
}

/** Finds what is wrong with the parameters as text. What is right as text may still be out of bounds. */
export function checkLexically(operation: Operation, given: GivenParameters): Violation[] {
  return operation.parameters.flatMap((parameter) => {
    const values = given.valuesOf(parameter)
    if (values.length > 1 && parameter.type !== 'array') return [parameterViolation(parameter, values, 'repeated')]
    const wrong = values.some((value) => !lexical[parameter.itemType].test(value))
    return wrong ? [parameterViolation(parameter, values, 'type')] : []
  })
}

/** Converts values that are known to be right. */
export function convert(operation: Operation, given: GivenParameters): Readonly<Record<string, ParameterValue>> {
  const converted: Record<string, ParameterValue> = {}
  for (const parameter of operation.parameters) {
    const values = given.valuesOf(parameter).map((value) => convertOne(parameter.itemType, value))
    const [first] = values
    if (first !== undefined) converted[parameter.name] = parameter.type === 'array' ? values : first
  }
  return converted
}

function convertOne(type: Parameter['itemType'], value: string): string | number | boolean {
  if (type === 'boolean') return value === 'true'
  return type === 'string' ? value : Number(value)
}

/** A schema, as far as a sentence can say it. */
interface SentenceSchema {
  readonly type?: unknown
  readonly format?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly enum?: unknown
  readonly pattern?: unknown
  readonly items?: unknown
}

/** Says what a schema wants, as the end of a sentence. */
export function ruleOf(schema: SentenceSchema): string {
  const { minimum, maximum, pattern } = schema
  const values: unknown[] | undefined = Array.isArray(schema.enum) ? schema.enum : undefined
  if (values) return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  if (schema.type === 'boolean') return 'must be true or false'
  if (schema.type === 'integer' || schema.type === 'number') {
    const kind = schema.type === 'integer' ? 'an integer' : 'a number'
    if (typeof minimum === 'number' && typeof maximum === 'number')
      return `must be ${kind} from ${minimum} to ${maximum}`
    if (typeof minimum === 'number') return `must be ${kind}, at least ${minimum}`
    return typeof maximum === 'number' ? `must be ${kind}, at most ${maximum}` : `must be ${kind}`
  }
  if (typeof pattern === 'string') return `must match ${pattern}`
  if (typeof schema.format === 'string') return `must be a ${schema.format}`
  return 'must be what the contract allows'
}
