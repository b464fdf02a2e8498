import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { connectDouble } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { temporaryFolder } from './helpers/files.js'
import { del, get, json } from './helpers/http.js'
import { often } from './helpers/repetitions.js'
import { seededRandom } from './helpers/seeded-random.js'

const callers = ['ada', 'grace', 'alan'] as const
const places = ['root', 'one', 'two', 'three', 'four'] as const
const strangers = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'undefined', 'null', 'ada']
const requests = often(1000, 10_000)
const atOnce = 32
const each = 6

/** Returns a state whose records contain the name of the sandbox and of the callers with access. */
const stateOf = (place: string): Parameters<Awaited<ReturnType<typeof connectDouble>>['setState']>[0] => ({
  $callers: Object.fromEntries(callers.map((caller) => [caller, { token: `${caller}-${place}-s3cr3t` }])),
  insights: callers.flatMap((caller) =>
    Array.from({ length: each }, (_, index) => ({
      id: `${place}.${caller}.${index}`,
      content: `${place} ${caller}`,
      $access: [caller],
    })),
  ),
})

const tokenOf = (caller: string, place: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${caller}-${place}-s3cr3t`,
})

/** Returns the path and the header fields that address a sandbox: its base URL, or the sandbox header at the root. */
const wayTo = (place: string, byHeader: boolean): readonly [path: string, headers: Readonly<Record<string, string>>] =>
  byHeader ? ['', { 'insights-sandbox': place }] : [place === 'root' ? '' : `/sandboxes/${place}`, {}]

test(`${requests} requests of three callers in five sandboxes never show a record of another caller or sandbox`, async (t) => {
  const report = join(await temporaryFolder(t), 'report.json')
  const served = await serveByCommand(t, ['--memory', '--log', 'json', '--report', report])
  const double = connectDouble(served.url)
  for (const place of places) {
    const sandbox = place === 'root' ? double : await double.sandbox({ name: place })
    await sandbox.setState(stateOf(place))
  }
  const random = seededRandom(5)
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  const gone = new Set<string>()
  let left = requests
  const foreign: string[] = []
  const ask = async (): Promise<void> => {
    while (left-- > 0) {
      const caller = pick(callers) ?? 'ada'
      const place = pick(places) ?? 'root'
      const [path, headers] = wayTo(place, random() < 0.5)
      const kind = random()
      if (kind < 0.02) {
        const id = `${place}.${caller}.${Math.floor(random() * each)}`
        const { status } = await del(served, `${path}/insights/${id}`, { ...headers, ...tokenOf(caller, place) })
        if (status === 204 && gone.has(id)) foreign.push(`${id} was deleted twice`)
        if (status === 204) gone.add(id)
      } else if (kind < 0.1) {
        const other = callers.find((name) => name !== caller) ?? 'ada'
        const id = `${place}.${other}.0`
        const { status } = await del(served, `${path}/insights/${id}`, { ...headers, ...tokenOf(caller, place) })
        if (status !== 404) foreign.push(`${caller} deleted ${id}: ${status}`)
      } else if (kind < 0.2) {
        const elsewhere = places.find((name) => name !== place) ?? 'root'
        const { status } = await get(served, `${path}/insights`, { ...headers, ...tokenOf(caller, elsewhere) })
        if (status !== 401) foreign.push(`the token of ${elsewhere} was taken in ${place}: ${status}`)
      } else {
        const reply = await get(served, `${path}/insights`, { ...headers, ...tokenOf(caller, place) })
        const seen = asList(json(reply)).map((insight) => String(asObject(insight)['id']))
        foreign.push(...seen.filter((id) => !id.startsWith(`${place}.${caller}.`)).map((id) => `${caller} saw ${id}`))
        if (seen.length > each) foreign.push(`${caller} saw ${seen.length} records in ${place}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  t.log(`${requests} requests, ${gone.size} deletes, ${foreign.length} foreign records`)
  t.deepEqual(foreign, [])
  for (const token of strangers)
    t.is((await get(served, '/insights', { authorization: `Bearer ${token}` })).status, 401, token)
  const journals = await Promise.all(
    places.map(async (place) => JSON.stringify(await get(served, `${wayTo(place, false)[0]}/__admin/requests`))),
  )
  t.deepEqual(journals.filter((text) => text.includes('s3cr3t')).length, 0)
  const { stdout, stderr } = await served.end()
  t.true(stdout.split('\n').length > requests)
  assertNoToken(t, 'the log', stdout + stderr)
  assertNoToken(t, 'the report', await readFile(report, 'utf8'))
})

function assertNoToken(t: ExecutionContext, where: string, text: string): void {
  const at = text.indexOf('s3cr3t')
  t.is(at, -1, `${where}: ${text.slice(Math.max(0, at - 100), at + 100)}`)
}
