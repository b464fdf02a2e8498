import { existsSync } from 'node:fs'
import { parseArgs, type ParseArgsConfig } from 'node:util'

import { addFlagToHints } from '../documents/problem.js'
import { nearestName } from '../nearest-name.js'
import { type DoubleOptions, doubleOptions } from '../options.js'
import { describeRule, isValidValue, type OptionRule, suggestName } from '../validate-options.js'
import type { Command, CommandDefinition, Flag, FlagName } from './flags.js'
import { UsageError, commandTable, commands, commandsOf, flags } from './flags.js'

export type ParsedArguments = Readonly<ReturnType<typeof parseArguments>>

/** @param words - The arguments, without Node and the script. @throws {UsageError} The command or a flag is unknown, or a value is invalid. */
export function parseArguments(words: readonly string[]) {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const { given, positionals: named } = parse(words.slice(0, end))
  const [first, ...others] = named
  const known = commands.find((each) => each === first)
  if (known === undefined && first !== undefined && !looksLikeContract(first)) {
    const near = nearestName(first, commands)
    const correction = near === undefined ? 'use' : `did you mean ${near}? The commands are`
    throw new UsageError(`There is no command "${first}"; ${correction} ${commands.join(', ')}.`)
  }
  const command: Command = known ?? 'serve'
  const following = words.slice(end + 1)
  const all = [...(known === undefined ? named : others), ...(command === 'run' ? [] : following)]
  checkUsage(command, [...given.keys()], all)
  const { contractAt = Infinity }: CommandDefinition = commandTable[command]
  const contract = all[contractAt]
  const positionals: readonly string[] = all.filter((_, index) => index !== contractAt)
  const isSpecByFlag = given.has('spec')
  const [byFlag = contract] = given.get('spec') ?? []
  if (contract !== undefined && byFlag !== contract)
    throw usageError(`The contract is given twice, as ${contract} and as --spec ${byFlag}; give it once`)
  if (contract !== undefined) given.set('spec', [contract])
  const valuesOf = (flag: FlagName): readonly string[] => given.get(flag) ?? []
  const valueOf = (flag: FlagName): string | undefined => valuesOf(flag)[0]
  const isGiven = (flag: FlagName): boolean => given.has(flag)
  const integerOf = (flag: FlagName): number | undefined => valuesOf(flag).map(Number)[0]
  const read = { boolean: isGiven, integer: integerOf, strings: valuesOf }
  const optionValues = Object.entries<Flag>(flags).flatMap(([name, { option }]) => {
    if (option === undefined) return []
    const { type } = doubleOptions[option]
    return [[option, (type in read ? read[type as keyof typeof read] : valueOf)(name as FlagName)] as const]
  })
  // The rules of the flags are those of the options.
  const options: DoubleOptions = Object.fromEntries(optionValues)
  return {
    command,
    /** False if `serve` is only the default. */
    isCommandGiven: known !== undefined,
    /** The arguments that are not flags, without the contract. */
    positionals,
    /** True if the contract, which `valueOf('spec')` returns, was given by the flag, and not as an argument. */
    isSpecByFlag,
    /** The command of `run` with its arguments: what follows `--`. */
    commandToRun: command === 'run' ? following : [],
    /** The options that flags have, as they are given. */
    options,
    isGiven,
    valueOf,
    valuesOf,
    integerOf,
  }
}

/** Tells a contract from a wrong command: a path, a URL, a file name with the ending of a document, or something that exists. */
const looksLikeContract = (word: string): boolean =>
  /[/\\:]|\.(?:json|ya?ml)$/u.test(word) || (word !== '' && existsSync(word))

/** Checks the value of a flag or of an environment variable. @throws {UsageError} The rule does not allow it. */
export function checkValue(name: string, value: string, rule: OptionRule): void {
  const parsed = rule.type === 'integer' ? (/^\d+$/u.test(value) ? Number(value) : NaN) : value
  if (!isValidValue(rule, parsed))
    throw new UsageError(`${name} must be ${describeRule(rule)}, got "${value}"${suggestName(rule, value)}.`)
}

/**
 * Splits a command line into the values of each given flag, none of a flag without a value, and the other arguments. Does not use the strict
 * mode of Node's parser: one of its messages calls `-5` ambiguous.
 */
function parse(words: readonly string[]) {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries<Flag>(flags).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: true, ...(short === undefined ? {} : { short }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...words], options, allowPositionals: true, strict: false, tokens: true })
  const given = new Map<string, readonly string[]>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { inlineValue, name, rawName, value } = token
    const flag = Object.entries<Flag>(flags).find(([known]) => known === name)?.[1]
    if (!flag) {
      const near = rawName.startsWith('--') ? nearestName(name, Object.keys(flags)) : undefined
      throw usageError(`There is no flag "${rawName}"${near === undefined ? '' : `; did you mean --${near}?`}`)
    }
    const values = given.get(name)
    if (values && !flag.multiple) throw usageError(`${rawName} is given more than once; give it once`)
    const isAnotherFlag = inlineValue === false && /^-./u.test(value ?? '') && flag.rule?.type !== 'integer'
    const usedValue = (flag.value ?? flag.words) === undefined || isAnotherFlag ? undefined : value
    if (flag.value === undefined && value !== undefined && !flag.words?.includes(value))
      throw usageError(`${rawName} takes no value, got "${value}"`)
    if (usedValue !== undefined && flag.rule) checkValue(rawName, usedValue, flag.rule)
    else if (flag.value !== undefined && !usedValue) {
      const other = value === undefined ? '' : `, got "${value}"; to use it as the value, write ${rawName}=${value}`
      const got = usedValue === '' ? ', got ""' : other
      throw usageError(`${rawName} needs a value, <${flag.value}>${got}`)
    }
    given.set(name, [...(values ?? []), ...(usedValue === undefined ? [] : [usedValue])])
  }
  return { given, positionals }
}

const usageError = (sentence: string): UsageError =>
  new UsageError(`${sentence.endsWith('?') ? sentence : `${sentence}.`} See insights-double --help.`)

function checkUsage(command: Command, names: readonly string[], positionals: readonly string[]): void {
  for (const [name, flag] of Object.entries<Flag>(flags)) {
    const known = commandsOf(flag)
    if (names.includes(name) && !known.includes(command))
      throw usageError(`--${name} is a flag of ${known.join(', ')}, not of ${command}`)
  }
  const { contractAt, most }: CommandDefinition = commandTable[command]
  const at = positionals.findIndex((word, index) => index >= most || (index === contractAt && !looksLikeContract(word)))
  if (at === -1) return
  const why = at === contractAt ? ', which is no file, folder or URL of a contract' : ''
  const correction = command === 'run' ? '; write -- before the command to run' : why
  throw usageError(`${command} does not take "${positionals[at] ?? ''}"${correction}`)
}

/** Finds the file of the contract. @returns Undefined: none is given. @throws {ProblemsError} It is a folder without one contract. */
export async function findGivenSpec(parsed: ParsedArguments): Promise<string | undefined> {
  const { spec } = parsed.options
  if (spec === undefined) return undefined
  // Loaded on use, because it loads the parsers: a usage error must not wait for them.
  const { findSpec } = await import('../spec/find-spec.js')
  return findSpec(spec).catch(nameSpecFlag(parsed))
}

/** Returns a function that throws an error again, with `--spec` in its hints if the contract was given by the flag. */
export const nameSpecFlag =
  ({ isSpecByFlag }: ParsedArguments) =>
  (error: unknown): never => {
    throw isSpecByFlag ? addFlagToHints('--spec', error) : error
  }
