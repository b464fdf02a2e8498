import { execFileSync, spawnSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'

import { startHere } from './helpers/double-in-thread.js'
import { createTemporaryFolder, packageFolder, replaceFile, temporaryFolder, writeFiles } from './helpers/files.js'
import { as, get, idsSeenBy } from './helpers/http.js'
import { validFixture } from './helpers/refusals.js'
import { until } from './helpers/until.js'

/** A folder with a spec and a fixture, and the doubles that watch them. */
interface Place {
  readonly watching: readonly Watching[]
  /** The folder that the flags name. */
  readonly folder: string
  readonly root: string
}

/** A double that watches, and its reports of reloads. */
interface Watching {
  readonly double: DoubleHandle
  /** The way in which the options name the fixture: by path or by name. */
  readonly way: string
  readonly reloads: readonly (Error | undefined)[]
}

/**
 * Starts two doubles that watch `<root>/here`: one gets the path of the fixture, the other its name.
 *
 * @param make - Creates `<root>/here`. Default: a plain folder.
 */
async function watchRoot(
  root: string,
  make: (root: string) => Promise<void> = () => fill(join(root, 'here'), 'fern', 1),
): Promise<Place> {
  await make(root)
  const folder = join(root, 'here')
  const watch = async (way: string, options: DoubleOptions): Promise<Watching> => {
    const reloads: (Error | undefined)[] = []
    const spec = join(folder, 'spec.yaml')
    const double = await startHere({ ...options, spec, watch: true, onReload: (_, problem) => reloads.push(problem) })
    return { double, reloads, way }
  }
  const watching = [
    await watch('by path', { fixture: join(folder, 'mine.json') }),
    await watch('by name', { fixtures: folder, fixture: 'mine' }),
  ]
  return { watching, folder, root }
}

/** Does the same in a temporary folder. The doubles stop at the end of the test. */
async function watchPlace(t: ExecutionContext, make?: (root: string) => Promise<void>): Promise<Place> {
  const place = await watchRoot(await temporaryFolder(t), make)
  t.teardown(() => stopAll(place))
  return place
}

const stopAll = async ({ watching }: Place): Promise<void> =>
  void (await Promise.all(watching.map(({ double }) => double.stop())))

/** Waits until each double serves a fixture and a spec. */
async function assertServed(t: ExecutionContext, { watching }: Place, id: string, least: number, why = '') {
  for (const { double, way } of watching) {
    // A connection that was idle while a reload blocked the thread may be closed at the moment of its next use.
    const isServed = (): Promise<boolean> => serves(double, id, least).catch(() => false)
    t.true(await until(isServed), `${id} ${way} ${why}`)
  }
}

/** Writes spec and fixture, with the id of the first insight and the minimum of limit. */
const fill = (folder: string, id: string, least: number): Promise<void> =>
  writeFiles(folder, { 'spec.yaml': specWith(least), 'mine.json': fixtureWith(id) })

const fixtureWith = (id: string): string => validFixture.replace('"fern"', `"${id}"`)
/** A small contract, since each change of a file loads it again. */
const specWith = (least: number): string => `
openapi: 3.0.3
info: { title: Insights, version: 1.0.0 }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  responses:
    error:
      description: An error.
      content:
        application/json:
          schema:
            type: object
            required: [error, message]
            properties: { error: { type: integer }, message: { type: string } }
paths:
  /insights:
    get:
      security: [{ bearer: [] }]
      parameters: [{ name: limit, in: query, schema: { type: integer, minimum: ${least} } }]
      responses:
        '200':
          description: The insights.
          content:
            application/json:
              schema:
                type: array
                items:
                  type: object
                  required: [id, content]
                  properties: { id: { type: string }, content: { type: string }, createdAt: { type: string } }
        default: { $ref: '#/components/responses/error' }
  /insights/{id}:
    delete:
      security: [{ bearer: [] }]
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: It is deleted. }, default: { $ref: '#/components/responses/error' } }
`

/** Tells whether the double serves a fixture and a spec. */
async function serves(double: DoubleHandle, id: string, least: number): Promise<boolean> {
  const limits = await Promise.all(
    [least - 1, least].map(async (limit) => (await get(double, `/insights?limit=${limit}`, as('ada'))).status),
  )
  return limits[0] === 400 && limits[1] === 200 && (await idsSeenBy(double, 'ada'))[0] === id
}

// Each test uses two doubles, and the tests are serial, because many doubles that reload at once would delay each other.
const sharedFolder = await createTemporaryFolder()
let shared: Place
test.before('start the doubles that most tests share', async () => {
  shared = await watchRoot(sharedFolder.path, async (at) => {
    await fill(join(at, 'one', 'deep'), 'fern', 1)
    await fill(join(at, 'two', 'deep'), 'oak', 3)
    await symlink(join('one', 'deep'), join(at, 'here'))
  })
})
test.after.always('stop them', async () => {
  await stopAll(shared)
  await sharedFolder[Symbol.asyncDispose]()
})

for (const [how, from, to, id, least] of [
  ['replaced by a rename', 'one', 'two', 'oak', 3],
  ['deleted and created again', 'two', 'one', 'fern', 1],
] as const)
  test.serial(`the new target of a symlink is loaded when the symlink is ${how}`, async (t) => {
    const { folder, root } = shared
    await assertServed(t, shared, from === 'one' ? 'fern' : 'ivy', from === 'one' ? 1 : 6)
    if (how === 'replaced by a rename') {
      await symlink(join(to, 'deep'), `${folder}-new`)
      await rename(`${folder}-new`, folder)
    } else {
      await rm(folder)
      await symlink(join(to, 'deep'), folder)
    }
    await assertServed(t, shared, id, least)
    await fill(join(root, to, 'deep'), 'ivy', 6)
    await assertServed(t, shared, 'ivy', 6, 'what the link leads to is watched')
  })

test.serial('a folder that replaces a symlink is loaded', async (t) => {
  await rm(shared.folder)
  await fill(shared.folder, 'fern', 1)
  await assertServed(t, shared, 'fern', 1)
})

/** Ways in which editors and others replace the files or the folder, each with other content than before. */
const replacements: Readonly<Record<string, (folder: string, id: string, least: number) => Promise<void>>> = {
  'the files are written in place': fill,
  'the files are replaced by a rename': async (folder, id, least) => {
    await fill(`${folder}-new`, id, least)
    for (const name of ['spec.yaml', 'mine.json']) await rename(join(`${folder}-new`, name), join(folder, name))
  },
  'the files are deleted and created again': async (folder, id, least) => {
    for (const name of ['spec.yaml', 'mine.json']) await rm(join(folder, name))
    await fill(folder, id, least)
  },
  'the files are moved away and written again': async (folder, id, least) => {
    for (const name of ['spec.yaml', 'mine.json']) await rename(join(folder, name), join(folder, `${name}~`))
    await fill(folder, id, least)
  },
  'the folder is deleted and created again': async (folder, id, least) => {
    await rm(folder, { recursive: true })
    await fill(folder, id, least)
  },
  'the folder is moved and replaced by another': async (folder, id, least) => {
    await fill(`${folder}-new`, id, least)
    await rm(`${folder}-old`, { recursive: true, force: true })
    await rename(folder, `${folder}-old`)
    await rename(`${folder}-new`, folder)
  },
}
for (const [title, replace] of Object.entries(replacements))
  test.serial(`changes are loaded each time ${title}`, async (t) => {
    for (const [id, least] of Object.entries({ oak: 3, elm: 5 })) {
      await replace(shared.folder, id, least)
      await assertServed(t, shared, id, least)
    }
    // A later write in place is noticed too, because the new files are watched.
    await fill(shared.folder, 'ivy', 6)
    await assertServed(t, shared, 'ivy', 6)
  })

test.serial('a folder that was missing for a while is loaded when it exists again', async (t) => {
  const earlier = shared.watching.map(({ reloads }) => reloads.length)
  await rm(shared.folder, { recursive: true })
  for (const [index, { double, reloads, way }] of shared.watching.entries()) {
    const isReported = (): boolean => reloads.slice(earlier[index]).some((problem) => problem !== undefined)
    t.true(await until(isReported), `the missing spec is reported ${way}`)
    t.true(await serves(double, 'ivy', 6), `the last valid one stays ${way}`)
  }
  await fill(shared.folder, 'oak', 3)
  await assertServed(t, shared, 'oak', 3)
})

const branches = { one: ['fern', 1], two: ['oak', 3] } as const
test.serial('a git checkout of many files is loaded', async (t) => {
  const place = await watchPlace(t, async (at) => {
    const git = (...words: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@x', ...words], { cwd: at, encoding: 'utf8' })
    git('init', '--quiet', '--initial-branch', 'one')
    for (const [branch, [id, least]] of Object.entries(branches)) {
      if (branch !== 'one') git('checkout', '--quiet', '-b', branch)
      await fill(join(at, 'here'), id, least)
      for (let index = 0; index < 200; index++) {
        const other = join(at, 'here', `other-${branch === 'one' ? index : index + 100}.json`)
        await writeFile(other, fixtureWith(`${id}-${index}`))
      }
      git('add', '--all')
      git('commit', '--quiet', '--message', branch)
    }
    git('checkout', '--quiet', 'one')
  })
  await assertServed(t, place, 'fern', 1)
  for (const [branch, [id, least]] of Object.entries(branches).toReversed()) {
    execFileSync('git', ['checkout', '--quiet', branch], { cwd: place.root })
    await assertServed(t, place, id, least)
  }
  t.regex(await readFile(join(place.folder, 'mine.json'), 'utf8'), /"fern"/u)
})

test.serial('several changes at once cause one reload, which loads the last content', async (t) => {
  const place = await watchPlace(t)
  const file = join(place.folder, 'mine.json')
  // All changes are in one turn of the event loop of the doubles, so the doubles notice them only after the last one.
  for (let index = 0; index < 100; index++) {
    writeFileSync(`${file}~`, fixtureWith(`id-${index}`))
    renameSync(`${file}~`, file)
  }
  await assertServed(t, place, 'id-99', 1)
  for (const { reloads, way } of place.watching) t.deepEqual(reloads, [undefined], way)
})

test.serial('an invalid file is reported once', async (t) => {
  const place = await watchPlace(t)
  const file = join(place.folder, 'mine.json')
  await replaceFile(file, fixtureWith('oak').replace('"Moss."', '5'))
  for (const { reloads } of place.watching) t.true(await until(() => reloads.length > 0))
  await writeFile(join(place.folder, 'other.json'), validFixture)
  await replaceFile(file, fixtureWith('elm'))
  await assertServed(t, place, 'elm', 1)
  for (const { reloads, way } of place.watching) t.is(reloads.filter((problem) => problem !== undefined).length, 1, way)
})

test.serial('a stopped double does not watch', async (t) => {
  const place = await watchPlace(t)
  const [stopped, other] = place.watching
  await stopped?.double.stop()
  await replaceFile(join(place.folder, 'mine.json'), fixtureWith('oak'))
  t.true(await until(() => other?.reloads.length === 1))
  t.deepEqual(stopped?.reloads, [])
})

test.serial('the process of a stopped double ends', (t) => {
  const code = `
    const { startDouble } = await import('insights-double')
    const double = await startDouble({ watch: true })
    await double.stop()
    console.log('stopped')
  `
  const options = { cwd: packageFolder, encoding: 'utf8' } as const
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], options)
  t.deepEqual({ status, stdout }, { status: 0, stdout: 'stopped\n' })
})
