/**
 * Runs Prism's command line as a validating proxy, and counts the errors that it finds in responses: in those of a running double, and in
 * those of the whole test suite, which are recorded first.
 *
 * Prism may find errors in a request that is wrong on purpose; the double must refuse that request. Prism must not find an error in a response.
 *
 * Usage: npm run test:proxy -- [requests=400] [seed=1] [recording=folder of an earlier run, or a new folder for this one]
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { connectDouble } from 'insights-double'

import { readPackageFile, createTemporaryFolder } from '../helpers/files.js'
import { as } from '../helpers/http.js'
import { numberArguments, print, wordArgument } from '../helpers/scripts.js'
import { spawnDouble } from '../helpers/spawn-double.js'
import { checkRunningDouble } from './check-running-double.js'
import { Findings, ownAnswer, send } from './findings.js'
import { installPrism, startProxy } from './proxy.js'
import { readRecording, recordSuite, wholeMark, replay, startReplaying } from './recording.js'

const { requests, seed } = numberArguments({ requests: 400, seed: 1 })

await using folder = await createTemporaryFolder()
const recordingFolder = wordArgument('recording') ?? join(folder.path, 'recording')
await mkdir(recordingFolder, { recursive: true })
const there = await readdir(recordingFolder)
if (there.length > 0 && !there.includes(wholeMark))
  throw new Error(`${recordingFolder} has no complete recording. Empty the folder`)
if (there.length === 0) {
  print('recording the responses of the test suite; this takes as long as npm test')
  await recordSuite(recordingFolder)
}
const recording = await readRecording(recordingFolder)
const file = await installPrism(folder.path)
const findings = new Findings()

await using served = await spawnDouble({ words: ['--memory', '--log', 'silent'] })
await using replaying = await startReplaying(recordingFolder, recording)
const double = connectDouble(served.url)
for (const [name, flags] of [
  ['with --errors', ['--errors']],
  ['without --errors', []],
] as const) {
  print(`Prism ${name}`)
  await using live = await startProxy({ file, upstream: served.url, flags })
  await checkRunningDouble({ findings, proxy: { name, url: live.url }, double, requests, seed })
  await using again = await startProxy({ file, upstream: replaying.url, flags })
  await replay(findings, { name, url: again.url }, recording)
}

// Make sure that the proxy can find errors: with another contract, it must find the same responses invalid.
const spec = join(folder.path, 'insights.yaml')
const own = await readPackageFile('spec/insights.yaml')
await writeFile(spec, own.replace('required: [id, content]', 'required: [weight]'))
await using other = await startProxy({ file, upstream: served.url, spec, flags: ['--errors'] })
const found = ownAnswer(await send(other.url, { method: 'GET', path: '/insights?limit=1', headers: as('ada') }))
if (found !== 'VIOLATIONS')
  findings.wrong.push(`with another contract, Prism finds ${found ?? 'no error'} in a response, not VIOLATIONS`)
await using otherAgain = await startProxy({ file, upstream: replaying.url, spec, flags: ['--errors'] })
const against = new Findings()
await replay(against, { name: 'against another contract', url: otherAgain.url }, recording)
if (against.wrong.length === 0)
  findings.wrong.push('with another contract, Prism finds no error in the responses of the suite')

print(`exchanges of the suite, ${[...recording.counts.values()].reduce((sum, count) => sum + count, 0)} in all`)
for (const [what, count] of recording.counts) print(`  ${what}: ${count}`)
print(`Prism in front of the double, seed ${seed}`)
findings.sayCounts()
print(`responses of the suite in which Prism finds an error with another contract: ${against.wrong.length}`)
print(`responses in which Prism finds an error, and requests that only Prism refuses: ${findings.wrong.length}`)
for (const text of findings.wrong.slice(0, 50)) print(`  ${text}`)
if (findings.wrong.length > 0) process.exitCode = 1
