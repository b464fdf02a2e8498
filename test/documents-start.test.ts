import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { atUrl, documentBlock } from './helpers/documents.js'
import { serve } from './helpers/double.js'
import { packageFolder, temporaryFolder } from './helpers/files.js'
import { idsSeenBy } from './helpers/http.js'
import { launchShell, shell } from './helpers/shell.js'

const readyText = /^Insights service 1\.0\.0 ready at (http:\S+) .*\n(?: {2}.*\n)* {2}try .*\n/mu

/** Starts a double with the README's own command, on a free port. */
async function npmStart(t: ExecutionContext, flags: string) {
  const [, start] = (await documentBlock('start')).trim().split('\n')
  const running = await launchShell(t, `${start} -- --port 0 ${flags}`, { cwd: packageFolder })
  const [ready, url = ''] = await running.printed(readyText)
  return { ...running, ready, url }
}

test('the first commands are npm ci and npm start, and npm ci has a matching lock file', async (t) => {
  t.is(await documentBlock('start'), 'npm ci\nnpm start\n')
  const { code, stderr } = await shell(t, 'npm ci --dry-run --ignore-scripts --offline', { cwd: packageFolder })
  t.is(code, 0, stderr)
})

test('npm start prints the ready message of the README, its curl command works, and a delete is saved until --fresh', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const { end, ready, url } = await npmStart(t, `--state "${state}"`)
  const printed = ready.replaceAll(url, 'http://127.0.0.1:4010').replace(state, '.insights-double/state.json')
  t.is(printed, await documentBlock('ready'))
  const listed = await shell(t, `${/try +(curl .*)/u.exec(ready)?.[1]} -sSf`)
  t.is(listed.code, 0)
  const ids = asList(JSON.parse(listed.stdout)).map((insight) => asObject(insight)['id'])
  t.deepEqual(ids, [...(await idsSeenBy({ url }, 'ada'))])
  t.true(ids.includes('monstera-watering'))
  const { code, stdout } = await shell(t, atUrl(await documentBlock('delete'), url))
  t.is(code, 0)
  t.regex(stdout, /^HTTP\/1\.1 204 No Content\r\n(?:[\w-]+: .*\r\n)+\r\n$/u)
  t.false((await readFile(state, 'utf8')).includes('monstera-watering'))
  await end()
  const second = await serve(t, { state })
  t.false((await idsSeenBy(second, 'ada')).includes('monstera-watering'))
  await second.stop()
  const third = await npmStart(t, `--state "${state}" --fresh`)
  t.true((await idsSeenBy(third, 'ada')).includes('monstera-watering'))
})

for (const withoutCurl of [false, true]) {
  test(`the first request of the README gets the response of the README${withoutCurl ? ', also without curl' : ''}`, async (t) => {
    const { url } = await serve(t)
    const { code, stdout } = await shell(t, atUrl(await documentBlock('list'), url), { withoutCurl })
    t.is(code, 0)
    t.is(`${stdout}\n`, await documentBlock('listed'))
  })
}
