/**
 * Loads, saves and changes 100,000 records in every way, and puts a state of 256 MiB.
 *
 * Usage: npm run test:large -- [records=100000]
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createTemporaryFolder } from '../helpers/files.js'
import { largeFixture } from '../helpers/many-plants.js'
import { numberArguments, print } from '../helpers/scripts.js'
import { spawnDouble } from '../helpers/spawn-double.js'
import { cycle } from './save-and-load.js'

const { records } = numberArguments({ records: 100_000 })
const maxBytes = 256 * 1024 * 1024

await using folder = await createTemporaryFolder()
print(`${records} records`)
await cycle(folder.path, largeFixture(records), records, print, (words) =>
  spawnDouble({ words: [...words, '--log', 'silent'] }),
)

print('256 MiB')
await using largest = await createTemporaryFolder()
const words = ['--state', join(largest.path, 'state.json'), '--log', 'silent']
{
  await using double = await spawnDouble({ words })
  const started = performance.now()
  const { status } = await fetch(`${double.url}/__admin/state`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: largeFixture(Math.floor(maxBytes / 530)).padEnd(maxBytes),
  })
  print(`put: ${status}, ${Math.round(performance.now() - started)} ms`)
  const memory = await readFile(`/proc/${double.pid}/status`, 'utf8').catch(() => '')
  print(`maximum memory: ${Math.round(Number(/VmHWM:\s+(\d+)/u.exec(memory)?.[1]) / 1000)} MB`)
  if (status !== 204) process.exitCode = 1
}
await using again = await spawnDouble({ words })
print(`start with this state file: ${Math.round(again.readyMs)} ms`)
