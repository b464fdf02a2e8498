/** Shows the request of a probe's step as a curl command. */
import type { RealCaller } from '../pull/pull.js'
import type { ProbeStep } from './probe.js'
import { toRequest } from './run-probes.js'

/** The names of the environment variables that hold secrets. */
export interface SecretVariables {
  readonly callers: readonly RealCaller[]
  /** By lower-case name of the header. */
  readonly headers: ReadonlyMap<string, string>
}

/** Writes the request of a step as a curl command. Tokens are environment variables. */
export function stepAsCurl(
  step: ProbeStep,
  url: string,
  { callers, headers }: SecretVariables,
  redact: (text: string) => string,
): string {
  const variable = (name: string): string => `$${callers.find((caller) => caller.name === name)?.variable ?? 'TOKEN'}`
  const side = { tokenOf: variable }
  const request = toRequest(step, side, 'ID')
  const words = ['curl -i']
  if (step.method === 'HEAD') words.push('--head')
  else if (step.method !== 'GET' || step.body !== undefined) words.push(`-X ${step.method}`)
  for (const [name, secret] of headers) words.push(`-H "${name}: $${secret}"`)
  for (const [name, value] of Object.entries(request.headers)) {
    const basic = callers.find((caller) => value === `Basic ${Buffer.from(`$${caller.variable}`).toString('base64')}`)
    const isVariable = callers.some((caller) => value.includes(`$${caller.variable}`))
    words.push(
      basic ? `-u "$${basic.variable}"` : isVariable ? `-H "${name}: ${value}"` : `-H ${quote(`${name}: ${value}`)}`,
    )
  }
  if (step.body !== undefined) words.push(`-d ${quote(step.body)}`)
  const target = `${url}${request.target}`
  words.push(target.includes('$') ? `"${target.replaceAll('%24', '$')}"` : quote(target))
  return redact(words.join(' '))
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
