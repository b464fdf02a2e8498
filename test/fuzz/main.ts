/** `node build/test/fuzz/main.js [--seed 1] [--count 100000] [--from 0] [--log pretty|json] [--mode raw|roles|openapi-3.0|openapi-3.1-parameters|openapi-3.1-bodies]`: fuzzes a double, half of it with either log. */
import { parseArgs } from 'node:util'

import { print } from '../helpers/scripts.js'
import { fuzz, fuzzModes } from './fuzz.js'
import type { WatchedLog } from './watched-double.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '100000' },
    log: { type: 'string' },
    mode: { type: 'string', default: 'raw' },
    lenient: { type: 'boolean', default: false },
    patience: { type: 'string', default: '1' },
  },
})
const seed = Number(values.seed)
const count = Number(values.count)
let from = Number(values.from)
const logs: readonly WatchedLog[] = values.log === 'json' || values.log === 'pretty' ? [values.log] : ['json', 'pretty']
const mode = fuzzModes.find((name) => name === values.mode)
if (!mode) throw new Error(`There is no mode '${values.mode}'; the modes are ${fuzzModes.join(', ')}`)
print(`seed ${seed}`)
const started = performance.now()
const total = new Map<number, number>()
try {
  for (const log of logs) {
    const share = Math.ceil(count / logs.length)
    const { lenient, patience } = values
    const result = await fuzz({ seed, from, count: share, log, mode, lenient, patience: Number(patience) })
    from += result.conversations
    for (const [status, times] of result.byStatus) total.set(status, (total.get(status) ?? 0) + times)
    sayFailures(result.failures)
    print(
      `--log ${log}: ${result.requests} requests in ${result.conversations} conversations, ${result.logLines} lines logged`,
    )
  }
  const sorted = [...total].toSorted(([one], [other]) => one - other)
  for (const [status, times] of sorted) print(`${status}  ${times}`)
  print(`${((performance.now() - started) / 1000).toFixed(1)} s`)
} catch (error) {
  print(error instanceof Error ? `${error.stack ?? ''} ${String(error.cause)}` : String(error))
  process.exitCode = 1
}

/** Prints the failures by kind: the number, and the first one. */
function sayFailures(failures: readonly string[]): void {
  const kinds = new Map<string, string[]>()
  for (const failure of failures) {
    const kind = (failure.split('\n')[0] ?? '').replaceAll(/\d+|"[^"]*"/gu, '…')
    kinds.set(kind, [...(kinds.get(kind) ?? []), failure])
  }
  for (const [kind, ofKind] of kinds) print(`\n${ofKind.length} x ${kind}\n${ofKind[0] ?? ''}\n`)
  if (failures.length > 0) process.exitCode = 1
}
