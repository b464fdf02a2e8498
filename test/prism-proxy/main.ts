/**
 * Puts Prism's own command line in front of a double, as a proxy that checks, and counts what it finds wrong with the double's replies.
 *
 * A request that is wrong on purpose Prism may find wrong, and then the double has to refuse it. No reply may be found wrong.
 *
 * Usage: npm run test:proxy -- [requests=400] [seed=1]
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { connectDouble } from 'insights-double'

import { asList, asObject, readPackageFile, readSpec } from '../helpers/double.js'
import { seededRandom } from '../helpers/random.js'
import { folderForNow, numberGiven, say, sayTable } from '../helpers/scripts.js'
import { spawnDouble } from '../helpers/spawned.js'
import { installPrism, startProxy } from './proxy.js'
import type { Answer, Call } from './traffic.js'
import { as, examples, limits, makeUp, send } from './traffic.js'

const requests = numberGiven('requests', 400)
const seed = numberGiven('seed', 1)

interface Count {
  sent: number
  served: number
  /** Requests that Prism refused by itself. */
  refused: number
  /** Requests that Prism let pass and the double refused: it is the stricter of the two. */
  stricter: number
}

/** What Prism says when it answers by itself: the last part of its problem's type. */
const ownAnswer = ({ contentType, text }: Answer): string | undefined =>
  contentType.startsWith('application/problem+json')
    ? /errors#(\w+)$/u.exec(String(asObject(JSON.parse(text))['type']))?.[1]
    : undefined

await using folder = await folderForNow()
await using served = await spawnDouble({ words: ['--memory', '--log', 'silent'] })
const double = connectDouble(served.url)
const file = await installPrism(folder.path)
const upstream = served.url
await using strict = await startProxy({ file, upstream, flags: ['--errors'] })
await using lenient = await startProxy({ file, upstream })
const proxies = [
  { name: 'with --errors', url: strict.url },
  { name: 'without', url: lenient.url },
]
const wrong: string[] = []
const counts = new Map<string, Count>()

/** Sends a call through a proxy. What the proxy finds wrong with the reply is noted. */
async function through(proxy: (typeof proxies)[number], part: string, call: Call): Promise<Answer> {
  const count = counts.get(`${part}, ${proxy.name}`) ?? { sent: 0, served: 0, refused: 0, stricter: 0 }
  counts.set(`${part}, ${proxy.name}`, count)
  const answer = await send(proxy.url, call)
  const shown = `${proxy.name}: ${call.method} ${call.path} ${JSON.stringify(call.headers)} → ${answer.status}`
  count.sent++
  if (answer.status < 400) count.served++
  const own = ownAnswer(answer)
  const aboutReply = answer.violations.filter(({ location }) => location[0] === 'response')
  if (aboutReply.length > 0) wrong.push(`${shown} ${JSON.stringify(aboutReply)}`)
  if (own === 'UNPROCESSABLE_ENTITY' || own === 'UNAUTHORIZED') {
    count.refused++
    // Prism wants the scheme's name as it is written in the standard; HTTP has it in any case.
    if (own === 'UNAUTHORIZED' && call.headers['authorization']?.startsWith('bearer ') === true) return answer
    const direct = await send(served.url, call)
    if (direct.status !== 400 && direct.status !== 401)
      wrong.push(`${shown} ${own}, but the double said ${direct.status}`)
  } else if (own !== undefined) wrong.push(`${shown} ${answer.text}`)
  else if (answer.status === 400 || answer.status === 401) count.stricter++
  return answer
}

for (const proxy of proxies) {
  await double.reset('default')
  for (const call of examples) await through(proxy, 'examples', call)

  const item = Object.values(asObject((await readSpec())['paths'])).flatMap((methods) =>
    Object.values(asObject(methods)),
  )
  for (const { operationId, responses } of item.map(asObject)) {
    for (const status of Object.keys(asObject(responses))) {
      const operation = String(operationId)
      await double.reset('default')
      const isSuccess = Number(status) < 400
      if (!isSuccess) await double.addFault({ operation, status: Number(status) })
      const isListing = operation === 'listInsights'
      const path = isListing ? '/insights' : '/insights/monstera-watering'
      const call: Call = { method: isListing ? 'GET' : 'DELETE', path, headers: as('ada') }
      const answer = await through(proxy, 'documented statuses', call)
      if (answer.status !== Number(status)) wrong.push(`${operation} ${status}: got ${answer.status}`)
    }
  }

  for (const { name } of await double.fixtures()) {
    await double.reset(name)
    for (const caller of Object.keys((await double.state()).callers)) {
      for (const limit of limits) {
        const headers = as(caller)
        const answer = await through(proxy, 'fixtures × callers × limits', {
          method: 'GET',
          path: `/insights${limit}`,
          headers,
        })
        const direct = await send(served.url, { method: 'GET', path: `/insights${limit}`, headers })
        if (answer.text !== direct.text) wrong.push(`${name}, ${caller}${limit}: the proxy passes on something else`)
        if (answer.status !== 200) wrong.push(`${name}, ${caller}${limit}: ${answer.status}`)
        else asList(JSON.parse(answer.text))
      }
    }
  }

  const random = seededRandom(seed)
  await double.reset('many')
  const ids = (await double.state()).insights.map(({ id }) => id ?? '')
  for (let number = 0; number < requests; number++) await through(proxy, 'made up', makeUp(random, ids))
}

// What finds nothing may have looked for nothing: by another contract, the same reply has to be found wrong.
const spec = join(folder.path, 'insights.yaml')
await writeFile(
  spec,
  (await readPackageFile('spec/insights.yaml')).replace('required: [content]', 'required: [weight]'),
)
await using other = await startProxy({ file, upstream, spec, flags: ['--errors'] })
const found = ownAnswer(await send(other.url, { method: 'GET', path: '/insights?limit=1', headers: as('ada') }))
if (found !== 'VIOLATIONS') wrong.push(`by a contract that has another Insight, Prism finds ${found ?? 'nothing'}`)

say(`Prism in front of the double, seed ${seed}`)
sayTable([
  ['what', 'sent', 'served', 'refused by Prism', 'refused by the double alone'],
  ...[...counts].map(([what, count]) => [what, ...Object.values(count).map(String)]),
])
say(`replies that Prism finds wrong, and requests that only Prism refuses: ${wrong.length}`)
for (const text of wrong) say(`  ${text}`)
if (wrong.length > 0) process.exitCode = 1
