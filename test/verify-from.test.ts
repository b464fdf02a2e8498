import test, { type ExecutionContext } from 'ava'

import { exits } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { callerEnv as env, callerFlags as flags, serveInsights, someInsights } from './verify/insights-service.js'

const entries = [
  'GET https://api.example/v2/insights?limit=0',
  'GET https://cdn.example/logo.svg',
  'GET https://api.example/v2/insights?limit=0',
  'DELETE https://api.example/v2/insights/in-1',
  'DELETE https://api.example/v2/insights/in-2',
].map((line) => {
  const [method, url] = line.split(' ')
  const headers = [{ name: 'Authorization', value: 'Bearer of-the-browser' }]
  const response = { status: 200, content: { text: '[]' } }
  return { request: { method, url, headers, queryString: [] }, response }
})
const har = JSON.stringify({ log: { entries } })

const curl = String.raw`# From the browser, and written by hand.
curl 'https://api.example/insights?limit=0' -H 'authorization: Bearer of-the-browser' --compressed
curl -sS -u ada:secret "$BASE/insights?limit=0" | jq .
curl -XDELETE \
  "$BASE/insights/in-1"; curl -X DELETE $'https://api.example/insights/in\u002d2' -d 'a
b'
`

/** Returns a journal of a double as `requests --json` prints it. */
async function journalOf(t: ExecutionContext): Promise<string> {
  const { url } = await serve(t)
  const headers = { authorization: 'Bearer ada-token' }
  const lines = ['GET /insights?limit=0', 'DELETE /insights/in-1', 'DELETE /insights/in-2']
  for (const [method = '', path = ''] of lines.map((line) => line.split(' ')))
    await fetch(url + path, { method, headers })
  return (await exits(t, 0, ['requests', '--json', '--url', url])).stdout
}

for (const [name, textOf] of [
  ['traffic.har', async () => har],
  ['traffic.sh', async () => curl],
  ['journal.json', journalOf],
] as const)
  test(`--from compares the requests of ${name}, each once, as a caller, and only permitted ones`, async (t) => {
    const service = await serveInsights(t)
    service.reset(someInsights(), { minimum: 0 })
    service.mayChange = true
    const file = await writeTemporary(t, name, await textOf(t))
    const words = ['verify', service.url, ...flags, '--from', file, '--may', 'deleteInsight=in-1']
    const { stdout } = await exits(t, 1, words, { env })
    t.regex(stdout, /^differs {2}the service answers 200, the double 400/mu)
    t.regex(stdout, /^could not check, because only --may deleteInsight=<id> permits it for its id: [^,]*$/mu)
    t.regex(stdout, /: agrees 1, differs 1, could not check 1;/u)
    const sent = service.log.map(({ headers, method, url }) => `${method} ${url} ${headers.authorization ?? ''}`)
    const deletes = sent.filter((each) => each.startsWith('DELETE'))
    t.deepEqual(deletes, [`DELETE /insights/in-1 Bearer ${env.ADA_TOKEN}`])
    t.true(sent.includes(`GET /insights?limit=0 Bearer ${env.ADA_TOKEN}`))
  })

test('a file without requests, or with an error, is refused with its place', async (t) => {
  const { url } = await serveInsights(t)
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ['{"log": {"entries": []}}', /^\S+  has no request  give a journal/u],
    ['{"log": {\n"entries": [}', /^\S+:2:13 /u],
    ['curl http://x/insights\ncurl -F a=b http://x/insights', /^\S+:2:1  has an option of curl that is not read/u],
    ['curl http://x/insights\n\ncurl "http://x/insights', /^\S+:3:6  has a quote that does not end/u],
    ['wget http://x/insights', /^\S+  has no request/u],
    ['curl http://x/logo.svg', /^--from: none of the 1 requests is to an operation of the contract\.$/mu],
  ]
  for (const [text, message] of cases) {
    const file = await writeTemporary(t, 'traffic.txt', text)
    t.regex((await exits(t, 2, ['verify', url, ...flags, '--from', file], { env })).stderr, message, text)
  }
  const noUrl = ['verify', '--evidence', 'x', '--from', 'y']
  t.regex((await exits(t, 2, noUrl)).stderr, /^--from needs the URL of the service/u)
  const odd = await writeTemporary(t, 'odd.sh', "curl 'http://x/insights?limit=1&x=a ü'")
  await exits(t, 0, ['verify', url, ...flags, '--from', odd], { env })
  const folder = await temporaryFolder(t)
  const { stderr } = await exits(t, 2, ['verify', url, ...flags, '--from', folder], { env })
  t.regex(stderr, /^--from must name a file that can be read, got "[^"]+": it is a folder\.$/mu)
})
