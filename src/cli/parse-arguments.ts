/** Reads a command line: from words to a command with flags whose values are right. */
import type { ParseArgsConfig } from 'node:util'
import { parseArgs } from 'node:util'

import { nearestName } from '../nearest-name.js'
import type { OptionRule } from '../validate-options.js'
import { describeRule, isValidValue, suggestName } from '../validate-options.js'
import type { Command, Flag, FlagName } from './flags.js'
import { commands, flags, UsageError } from './flags.js'

type ParseArgsOptionsConfig = NonNullable<ParseArgsConfig['options']>

/** A command line that makes sense. */
export interface ParsedArguments {
  readonly command: Command
  /** What follows the command and is no flag. */
  readonly positionals: readonly string[]
  /** Whether a flag that takes no value was given. */
  isGiven(flag: FlagName): boolean
  /** The value of a flag. It is one that the flag may have. */
  valueOf(flag: FlagName): string | undefined
  /** All values of a flag that may be repeated. */
  valuesOf(flag: FlagName): readonly string[]
  /** The value of a flag as an integer. */
  integerOf(flag: FlagName): number | undefined
}

/**
 * Reads a command line.
 *
 * @throws {UsageError}
 */
export function parseArguments(words: readonly string[]): ParsedArguments {
  const { given, positionals } = parse(words)
  const [first, ...rest] = positionals
  const command = commands.find((known) => known === first) ?? (first === undefined ? 'serve' : undefined)
  if (command === undefined) {
    const near = nearestName(first ?? '', commands)
    const right = near === undefined ? 'use' : `did you mean ${near}? There are`
    throw new UsageError(`There is no command "${first ?? ''}"; ${right} ${commands.join(', ')}.`)
  }
  refuseStrangers(command, [...given.keys()], rest)
  const valuesOf = (flag: FlagName): readonly string[] => given.get(flag) ?? []
  const valueOf = (flag: FlagName): string | undefined => valuesOf(flag)[0]
  return {
    command,
    positionals: rest,
    isGiven: (flag) => given.has(flag),
    valueOf,
    valuesOf,
    integerOf: (flag) => {
      const value = valueOf(flag)
      return value === undefined ? undefined : Number(value)
    },
  }
}

/** Checks the value of a flag or an environment variable. @throws {UsageError} It is none that the rule allows. */
export function checkValue(name: string, value: string, rule: OptionRule): void {
  const read = rule.type === 'integer' ? (/^\d+$/u.test(value) ? Number(value) : NaN) : value
  if (!isValidValue(rule, read))
    throw new UsageError(`${name} must be ${describeRule(rule)}, got "${value}"${suggestName(rule, value)}.`)
}

/** A command line, taken apart: the values of each flag that was given, none of a flag that takes no value; and all else. */
interface Parsed {
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly positionals: readonly string[]
}

/** Takes a command line apart. Node's own strict mode would refuse the same in words of its own, and say of `-5` that it is ambiguous. */
function parse(words: readonly string[]): Parsed {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
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
    if (!flag) throw misuse(unknownFlag(rawName, name))
    const values = given.get(name)
    if (values && !flag.multiple) throw misuse(`'${rawName}' is given more than once; give it once`)
    const isAnotherFlag = inlineValue === false && /^-./u.test(value ?? '') && flag.rule?.type !== 'integer'
    const read = flag.value === undefined || isAnotherFlag ? undefined : value
    if (flag.value === undefined && value !== undefined) throw misuse(`'${rawName}' takes no value, got "${value}"`)
    if (flag.value !== undefined) checkFlag(rawName, flag, read, value)
    given.set(name, [...(values ?? []), ...(read === undefined ? [] : [read])])
  }
  return { given, positionals }
}

/** @param received - What stands where the value should. */
function checkFlag(name: string, flag: Flag, value: string | undefined, received: string | undefined): void {
  if (value !== undefined && flag.rule) checkValue(name, value, flag.rule)
  else if (value === undefined || value === '') {
    const got =
      value === ''
        ? ', got ""'
        : received === undefined
          ? ''
          : `, got "${received}"; as a value write ${name}=${received}`
    throw misuse(`'${name}' needs a value, <${flag.value ?? ''}>${got}`)
  }
}

function unknownFlag(rawName: string, name: string): string {
  const near = rawName.startsWith('--') ? nearestName(name, Object.keys(flags)) : undefined
  return `There is no flag '${rawName}'${near === undefined ? '' : `; did you mean --${near}?`}`
}

const misuse = (sentence: string): UsageError =>
  new UsageError(`${sentence.endsWith('?') ? sentence : `${sentence}.`} See insights-double --help.`)

function refuseStrangers(command: Command, names: readonly string[], operands: readonly string[]): void {
  for (const [name, { commands: known }] of Object.entries<Flag>(flags)) {
    if (names.includes(name) && !known.includes(command)) {
      throw new UsageError(`--${name} is a flag of ${known.join(', ')}, not of ${command}. See insights-double --help.`)
    }
  }
  const most = { serve: 0, check: Infinity, explain: 0, schema: 0, reset: 1, state: 0, requests: 0 }[command]
  if (operands.length > most)
    throw new UsageError(`${command} does not take "${operands[most] ?? ''}". See insights-double --help.`)
}
