import { print, printError, setExitCode } from '../node-process.js'
import { createFixtureText } from '../pull/create-fixture-text.js'
import { planPull, pullState } from '../pull/pull.js'
import { safeLine } from '../safe-text.js'
import { exitCodes } from './exit-codes.js'
import { checkOutputFileIsNew, writeOutputFile } from './flag-files.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { readRealServiceFlags } from './real-service-flags.js'

export async function runPull(parsed: ParsedArguments): Promise<void> {
  const { isGiven, valueOf, valuesOf } = parsed
  const keep = valuesOf('keep')
  if (keep.length > 0 && !isGiven('sanitise'))
    throw new UsageError('--keep names the exceptions of --sanitise. Give both, or neither.')
  await checkOutputFileIsNew(parsed, 'out')
  const { callers, client, service } = await readRealServiceFlags(parsed)
  const plan = planPull({ callers, service })
  if (isGiven('plan')) {
    for (const line of plan) print(`${line}\n`)
    return
  }
  const say = (line: string): void => printError(`${safeLine(client.redact(line))}\n`)
  const pulled = await pullState({ callers, client, service, hidesIds: isGiven('sanitise'), onProgress: say })
  const except = isGiven('sanitise') ? keep : undefined
  const { notes, text } = createFixtureText(pulled, service.resources, isGiven('partial'), except)
  for (const note of notes) say(note)
  if (text === undefined) {
    client.checkLimits()
    setExitCode(exitCodes.problems)
    return
  }
  const out = valueOf('out')
  if (out === undefined) print(text)
  else {
    await writeOutputFile(parsed, 'out', text)
    say(`Written to ${out}.`)
  }
}
