import { spawnSync } from 'node:child_process'
import { watch } from 'node:fs'
import { chmod, chown, lstat, readdir, readFile, realpath, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { serveByProcess } from './helpers/cli.js'
import { idsOnDisk, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, get, idsSeenBy } from './helpers/http.js'
import { spawnDouble } from './helpers/spawn-double.js'
import { until } from './helpers/until.js'
import { type OnWatchedDisk, serveOnWatchedDisk, steps } from './helpers/watched-disk.js'

const id = 'monstera-watering'
const others = ['orchid-ice-cubes', 'gift-wrapping-demand']

/** Tells whether events are in this order, with any others between them. */
function inOrder(events: readonly string[], wanted: readonly RegExp[]): boolean {
  let next = 0
  for (const event of events) if (wanted[next]?.test(event)) next++
  return next === wanted.length
}

const temporaryNames = (events: readonly string[]): readonly string[] =>
  events.filter((line) => line.startsWith('open ')).map((line) => line.slice('open '.length))

test('before a delete is acknowledged, the file is flushed and renamed, and its folder is flushed', async (t) => {
  const double = await serveOnWatchedDisk(t)
  const ids = await idsSeenBy(double, 'grace')
  for (const gone of ids.slice(0, 4)) {
    double.events()
    t.is((await del(double, `/insights/${String(gone)}`, as('grace'))).status, 204)
    const events = double.events()
    const [temporary = ''] = temporaryNames(events)
    t.not(temporary, '')
    t.is(dirname(temporary), double.folder)
    t.deepEqual(events, [
      `asked DELETE /insights/${String(gone)}`,
      `open ${temporary}`,
      `write ${temporary}`,
      `sync ${temporary}`,
      `rename ${temporary} ${double.file}`,
      `sync-folder ${double.folder}`,
      `reply 204 DELETE /insights/${String(gone)}`,
    ])
  }
})

test('each of several parallel deletes has a complete write between its request and its response', async (t) => {
  const double = await serveOnWatchedDisk(t, { fixture: 'many' })
  const ids = (await idsSeenBy(double, 'ada')).slice(0, 30)
  double.events()
  await Promise.all(ids.map((gone) => del(double, `/insights/${String(gone)}`, as('ada'))))
  const events = double.events()
  for (const gone of ids) {
    const between = events.slice(
      events.indexOf(`asked DELETE /insights/${String(gone)}`),
      events.indexOf(`reply 204 DELETE /insights/${String(gone)}`),
    )
    t.true(inOrder(between, [/^asked /u, /^open /u, /^sync /u, /^rename /u, /^sync-folder /u]), between.join('\n'))
  }
  t.is((await idsOnDisk(double.file)).length, 970)
})

for (const step of steps)
  test(`while ${step} is running, a delete is neither acknowledged nor visible`, async (t) => {
    const double = await serveOnWatchedDisk(t)
    double.hold(step)
    const answer = del(double, `/insights/${id}`, as('ada'))
    await double.reached(`held ${step} `)
    t.true((await idsSeenBy(double, 'ada')).includes(id))
    t.true((await idsSeenBy(double, 'grace')).includes(id))
    t.false(double.events().some((event) => event.startsWith('reply 204')))
    double.repair()
    t.is((await answer).status, 204)
    t.false((await idsOnDisk(double.file)).includes(id))
  })

test('no two writes use the same temporary file, in one process or in two', async (t) => {
  const cwd = await temporaryFolder(t)
  const names: string[] = []
  for (const words of [[], ['--fresh']]) {
    const double = await serveByProcess(t, ['--state', 'state.json', ...words], { cwd })
    const watcher = watch(cwd, (event, name) => {
      if (event === 'rename' && name !== null && /^state\.json\../u.test(name)) names.push(name)
    })
    for (const gone of [id, ...others]) await del(double, `/insights/${gone}`, as('ada'))
    t.is((await double.end()).code, 0)
    t.true(await until(() => names.includes('state.json.lock')))
    watcher.close()
  }
  const temporary = names.filter((name) => !/\.(?:holder|lock)$/u.test(name))
  // Each name occurs twice: when the file is created, and when it is renamed.
  t.true(temporary.length >= 4, names.join())
  for (const name of temporary) t.true(temporary.filter((other) => other === name).length <= 2, name)
})

// The last one has more permissions than the system gives a new file.
for (const mode of [0o600, 0o640, 0o660])
  test(`a temporary file never has more permissions than the state file: mode ${mode.toString(8)}`, async (t) => {
    const double = await serveOnWatchedDisk(t)
    await chmod(double.file, mode)
    for (const step of ['write', 'rename'] as const) {
      double.events()
      double.hold(step)
      const answer = del(double, `/insights/${step === 'write' ? id : others[0]}`, as('ada'))
      const temporary = (await double.reached(`held ${step} `)).split(' ')[2] ?? ''
      t.is((await stat(temporary)).mode & 0o777 & ~mode, 0)
      double.repair()
      await answer
      t.is((await stat(double.file)).mode & 0o777, mode)
    }
  })

test('the file keeps its owner', async (t) => {
  if (process.getuid?.() !== 0) {
    t.log('skipped: only root may give a file away')
    t.pass()
    return
  }
  const double = await serveOnWatchedDisk(t)
  await chown(double.file, 1234, 2345)
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  const { gid, uid } = await stat(double.file)
  t.deepEqual({ gid, uid }, { gid: 2345, uid: 1234 })
})

/** Writes a file that a symlink leads to. */
const plantVictim = (t: ExecutionContext): Promise<string> => writeTemporary(t, 'victim', 'precious')

async function assertUntouched(t: ExecutionContext, double: OnWatchedDisk, victim: string): Promise<void> {
  t.true((await readFile(victim, 'utf8')) === 'precious', 'the file that the symlink leads to was written over')
  t.true((await lstat(double.file)).isFile(), 'the state file is a file of its own')
  t.true((await idsOnDisk(double.file)).length >= 11)
}

test('a symlink at a usual name of temporary files is not followed', async (t) => {
  const double = await serveOnWatchedDisk(t)
  const victim = await plantVictim(t)
  const planted = ['state.json.tmp', '.state.json.tmp', 'state.json.0', 'state.json.1', `state.json.${process.pid}`]
  for (const name of planted) await symlink(victim, join(double.folder, name))
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  await assertUntouched(t, double, victim)
  const names = await readdir(double.folder)
  const removed = planted.filter((name) => !names.includes(name))
  t.deepEqual(removed, [])
})

test('a symlink at the name of the temporary file is not followed', async (t) => {
  const double = await serveOnWatchedDisk(t)
  const victim = await plantVictim(t)
  double.hold('open')
  const answer = del(double, `/insights/${id}`, as('ada'))
  const temporary = (await double.reached('held open ')).slice('held open '.length)
  await symlink(victim, temporary)
  double.repair()
  t.true([204, 500].includes((await answer).status))
  await assertUntouched(t, double, victim)
  await rm(temporary, { force: true })
  t.true([204, 404].includes((await del(double, `/insights/${id}`, as('ada'))).status))
  t.is((await get(double, '/__admin/health')).status, 200)
  await assertUntouched(t, double, victim)
})

/** Lists the system calls in order. A response counts from its first byte. */
function callsIn(trace: string): readonly string[] {
  const begun = new Map<string, string>()
  return trace.split('\n').flatMap((line) => {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/u.exec(line) ?? []
    if (text.includes('"HTTP/1.1 204')) return ['reply 204']
    const [, start] = /^(.*) <unfinished \.\.\.>$/u.exec(text) ?? []
    if (start !== undefined) {
      begun.set(thread, start)
      return []
    }
    const isResumed = /^<\.\.\. \w+ resumed>/u.test(text)
    const call = isResumed ? (begun.get(thread) ?? '') : text
    const [, name = '', path = ''] = /^(fsync|fdatasync)\(\d+<([^>]*)>/u.exec(call) ?? []
    if (name !== '') return [`sync ${path}`]
    const names = /^rename(?:at2?)?\(/u.test(call) ? [...call.matchAll(/"([^"]*)"/gu)].map((match) => match[1]) : []
    return names.length === 2 ? [`rename ${names.join(' ')}`] : []
  })
}

test('the system calls show that file and folder are flushed before each acknowledgement', async (t) => {
  if (spawnSync('strace', ['-V']).status !== 0) {
    t.log('skipped: strace is not installed; state-file-flush.test.ts watches the same from within')
    t.pass()
    return
  }
  const folder = await realpath(await temporaryFolder(t))
  const file = join(folder, 'state.json')
  const trace = join(await temporaryFolder(t), 'trace')
  const calls = 'trace=fsync,fdatasync,rename,renameat,renameat2,write,writev,sendto,sendmsg'
  // With -D the started process is the double, which gets the signals.
  const under = ['strace', '-D', '-f', '-y', '-s', '32', '-e', calls, '-o', trace]
  await using double = await spawnDouble({ words: ['--state', file, '--log', 'silent'], under })
  const ids = ['monstera-watering', 'orchid-ice-cubes']
  for (const each of ids) t.is((await del(double, `/insights/${each}`, as('ada'))).status, 204)
  t.is(await double.end('SIGTERM'), 0)
  const all = callsIn(await readFile(trace, 'utf8'))
  const replies = all.flatMap((call, index) => (call === 'reply 204' ? [index] : []))
  t.is(replies.length, ids.length)
  let from = all.indexOf(`sync ${dirname(file)}`) + 1
  for (const reply of replies) {
    const before = all.slice(from, reply)
    const [temporary = '', taking = ''] =
      /^rename (\S+) (\S+)$/u.exec(before.find((call) => call.startsWith('rename ')) ?? '')?.slice(1) ?? []
    t.is(taking, file)
    t.deepEqual(before, [`sync ${temporary}`, `rename ${temporary} ${file}`, `sync ${folder}`])
    from = reply + 1
  }
})
