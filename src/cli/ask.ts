/** `insights-double reset`, `state` and `requests`: talk to a running double, by the same handle that tests use. */
import { writeFile } from 'node:fs/promises'

import type { DoubleHandle } from '../control/client.js'
import { connectDouble } from '../control/client.js'
import { environmentVariable, print } from '../process.js'
import { reasonOf } from '../reason.js'
import type { JournalFilter } from '../sandbox/journal.js'
import { UsageError } from './flags.js'
import type { Invocation } from './invocation.js'
import { formatEntry } from './log.js'
import { checkOutputFile } from './paths.js'

const defaultUrl = 'http://127.0.0.1:4010'

function connect({ valueOf }: Invocation): DoubleHandle {
  const url = valueOf('url') ?? environmentVariable('INSIGHTS_DOUBLE_URL') ?? defaultUrl
  if (!/^https?:\/\/[^/]/u.test(url))
    throw new UsageError(`--url (or INSIGHTS_DOUBLE_URL) must be a URL such as ${defaultUrl}, got "${url}".`)
  return connectDouble(url, { adminToken: valueOf('admin-token') })
}

/** Sets a running double back. */
export async function reset(invocation: Invocation): Promise<void> {
  const { fixture, insights } = await connect(invocation).reset(invocation.operands[0])
  print(`Reset to ${fixture} (${insights} insights).\n`)
}

/** Prints or writes the state of a running double. */
export async function state(invocation: Invocation): Promise<void> {
  const out = invocation.valueOf('out')
  if (out !== undefined) await checkOutputFile('out', out)
  const text = `${JSON.stringify(await connect(invocation).state(), null, 2)}\n`
  if (out === undefined) print(text)
  else {
    await writeFile(out, text).catch((error: unknown) => {
      throw new UsageError(`--out: ${out} could not be written: ${reasonOf(error)}`)
    })
  }
}

/** Prints what a running double was asked. */
export async function requests(invocation: Invocation): Promise<void> {
  const { entries, evicted } = await connect(invocation).requests(filterOf(invocation))
  for (const entry of entries) print(`${formatEntry(entry, 'pretty')}\n`)
  if (evicted > 0) print(`(${evicted} older entries were dropped)\n`)
}

function filterOf({ integerOf, valueOf }: Invocation): JournalFilter {
  const operation = valueOf('operation')
  const status = integerOf('status')
  const caller = valueOf('caller')
  const verdict = valueOf('verdict')
  return {
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status }),
    ...(caller === undefined ? {} : { caller }),
    ...(verdict === undefined ? {} : { verdict: verdict === 'ok' ? verdict : 'violation' }),
  }
}
