import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import test, { type ExecutionContext } from 'ava'
import { connectDouble, type FixtureDocument } from 'insights-double'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { changesIn, everything } from './helpers/double.js'
import { idsOnDisk, readPackageFile, temporaryFolder } from './helpers/files.js'
import { as, assertError, del, get, idsSeenBy, json, type Reply } from './helpers/http.js'
import { spawnDouble } from './helpers/spawn-double.js'
import { type OnWatchedDisk, serveOnWatchedDisk, steps } from './helpers/watched-disk.js'

const id = 'monstera-watering'
const newState = { $callers: { eve: { token: 'eve-token' } }, insights: [] }
const unsaved = /^The state could not be saved \(.+\)\. Nothing was changed; remove the cause and try again\.$/su

function assertUnsaved(t: ExecutionContext, reply: Reply): void {
  assertError(t, reply, 500)
  t.regex(String(asObject(json(reply))['message']), unsaved)
  t.is(reply.headers['x-error-code'], 'state_not_saved')
}

/** Asserts that a delete is refused and changes nothing, and that it succeeds when the disk works again. */
async function assertRefusedUntilRepaired(
  t: ExecutionContext,
  double: OnWatchedDisk,
  repair: () => Promise<void> | void,
): Promise<void> {
  const before = await double.state()
  for (const caller of ['ada', 'grace']) {
    const refused = await del(double, `/insights/${id}`, as(caller))
    assertUnsaved(t, refused)
    const { operation, status, caller: who } = await double.request(refused.headers['x-request-id'] ?? '')
    t.deepEqual({ operation, status, who }, { operation: 'deleteInsight', status: 500, who: caller })
  }
  for (const caller of ['ada', 'grace']) t.true((await idsSeenBy(double, caller)).includes(id), caller)
  t.deepEqual(await double.state(), before)
  t.deepEqual((await changesIn(double)).removed, [])
  await repair()
  t.true((await idsOnDisk(double.file)).includes(id), 'the file has not changed')
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  t.false((await idsSeenBy(double, 'grace')).includes(id))
  t.false((await idsOnDisk(double.file)).includes(id))
  assertError(t, await del(double, `/insights/${id}`, as('ada')), 404)
}

const codes = { open: 'EACCES', write: 'ENOSPC', sync: 'EIO', rename: 'EROFS' }
for (const step of ['open', 'write', 'sync', 'rename'] as const)
  test(`a delete is refused while ${step} fails with ${codes[step]}, and succeeds after that`, async (t) => {
    const double = await serveOnWatchedDisk(t)
    double.fail(step, codes[step])
    await assertRefusedUntilRepaired(t, double, () => double.repair())
    const left = (await readdir(double.folder)).filter((name) => /^state\.json\.\d/u.test(name))
    t.deepEqual(left, [], 'a temporary file was left behind')
  })

test('a delete is refused while the folder is missing, and succeeds when it exists again', async (t) => {
  const double = await serveOnWatchedDisk(t)
  await rename(double.folder, `${double.folder}-away`)
  await assertRefusedUntilRepaired(t, double, () => rename(`${double.folder}-away`, double.folder))
})

test('a delete is refused while the folder is read-only, and succeeds when it is writable', async (t) => {
  const double = await serveOnWatchedDisk(t)
  if (process.getuid?.() === 0) {
    t.log('skipped: no folder is read-only to root; EACCES is tested above')
    t.pass()
    return
  }
  await chmod(double.folder, 0o500)
  t.teardown(() => chmod(double.folder, 0o700))
  await assertRefusedUntilRepaired(t, double, () => chmod(double.folder, 0o700))
})

test('a delete is refused if the disk accepts only a part of the file, and succeeds when there is space', async (t) => {
  const folder = await temporaryFolder(t)
  const disk = join(folder, 'disk')
  await mkdir(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    t.log('skipped: no small disk can be mounted here; the next test limits the size of a file')
    t.pass()
    return
  }
  t.teardown(() => void execFileSync('umount', ['-l', disk], { stdio: 'ignore' }))
  const double = await serveOnWatchedDisk(t, {}, disk)
  const filler = join(disk, 'filler')
  await writeFile(filler, Buffer.alloc(64 * 1024)).catch(() => {})
  await writeFile(filler, Buffer.alloc(52 * 1024 - 4096))
  const free = (): Promise<void> => writeFile(filler, '')
  await assertRefusedUntilRepaired(t, double, free)
})

test('a state that is too large for the disk is refused, and the file does not change', async (t) => {
  const file = join(await temporaryFolder(t), 'state.json')
  // The system writes a part, returns its size, and fails only at the next write, like a full disk.
  const limited = ['/bin/sh', '-c', 'ulimit -f 100; exec "$0" "$@"']
  await using served = await spawnDouble({ words: ['--state', file], under: limited })
  const double = connectDouble(served.url)
  const before = await readFile(file, 'utf8')
  const many = JSON.parse(await readPackageFile('fixtures/many.json')) as FixtureDocument
  await t.throwsAsync(double.setState(many), { message: unsaved })
  t.true((await readFile(file, 'utf8')) === before, 'the valid file was replaced')
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  t.is((await idsOnDisk(file)).length, 11)
})

for (const step of steps)
  test(`deletes that wait for a write whose ${step} fails are all refused, and none is applied in part`, async (t) => {
    const double = await serveOnWatchedDisk(t)
    const before = await idsSeenBy(double, 'ada')
    double.hold(step)
    const first = del(double, `/insights/${id}`, as('ada'))
    await double.reached(`held ${step} `)
    // A second delete depends on the first, which is not saved, so it is not a 404 yet.
    const waiting = [id, 'orchid-ice-cubes', 'orchid-ice-cubes', 'gift-wrapping-demand', 'no-such-insight']
    const behind = waiting.map((gone) => del(double, `/insights/${gone}`, as('ada')))
    await double.reached('asked DELETE ', 1 + waiting.length)
    double.fail(step)
    assertUnsaved(t, await first)
    for (const reply of await Promise.all(behind)) assertUnsaved(t, reply)
    t.deepEqual(await idsSeenBy(double, 'ada'), before)
    double.repair()
    t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
    assertError(t, await del(double, `/insights/no-such-insight`, as('ada')), 404)
    t.is((await idsOnDisk(double.file)).length, 11)
  })

test('a delete that is refused because the folder cannot be flushed is not in the state of the next start', async (t) => {
  const double = await serveOnWatchedDisk(t)
  double.fail('sync-folder')
  assertUnsaved(t, await del(double, `/insights/${id}`, as('ada')))
  double.repair()
  await double.stop()
  t.true((await idsOnDisk(double.file)).includes(id))
})

test('a reset that cannot be saved changes nothing', async (t) => {
  const double = await serveOnWatchedDisk(t)
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  await double.addFault({ operation: 'listInsights', skip: 5, status: 400 })
  const before = await everything(double)
  double.fail('sync')
  await t.throwsAsync(double.reset('empty'), { message: unsaved })
  await t.throwsAsync(double.setState(newState), { message: unsaved })
  t.deepEqual(await everything(double), before)
  double.repair()
  t.is((await double.reset()).fixture, 'default')
})

test('tokens of a pending state are refused, and those of the committed state are accepted', async (t) => {
  const double = await serveOnWatchedDisk(t)
  double.hold('sync')
  const put = double.setState(newState)
  await double.reached('held sync ')
  const replies = await Promise.all(['ada', 'eve'].map((caller) => get(double, '/insights', as(caller))))
  double.repair()
  await put
  t.deepEqual(pluck(replies, 'status'), [200, 401])
  const after = await Promise.all(['ada', 'eve'].map((caller) => get(double, '/insights', as(caller))))
  t.deepEqual(pluck(after, 'status'), [401, 200])
})

/** Longer than the interval at which the holder updates its lock, so that an update finds no lock. Milliseconds. */
const longGoneMs = 7000

test('deletes succeed again after the folder of the state file was missing for longer than a lock is valid', async (t) => {
  const double = await serveOnWatchedDisk(t)
  await rename(double.folder, `${double.folder}-away`)
  assertError(t, await del(double, '/insights/monstera-watering', as('ada')), 500)
  await wait(longGoneMs)
  await rename(`${double.folder}-away`, double.folder)
  const reply = await del(double, '/insights/monstera-watering', as('ada'))
  t.is(reply.status, 204, reply.text)
  t.is((await idsOnDisk(double.file)).length, 11)
})
