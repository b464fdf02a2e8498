import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

import test from 'ava'

import { watchFiles } from '#src/double/watch-files.js'

import { temporaryFolder } from './helpers/temporary-files.js'
import { until } from './helpers/until.js'

/** The numbers of turns of the event loop between the start of a watch and the change. They differ, so that some changes come while it starts. */
const turns = Array.from({ length: 40 }, (_, index) => index)

test('a file is noticed even if its folder is created while the watch starts', async (t) => {
  const root = await temporaryFolder(t)
  for (const count of turns) {
    const folder = join(root, String(count), 'deep')
    const changed: string[] = []
    const watching = watchFiles({ files: [join(folder, 'spec.yaml')], folders: [folder] }, (file) => changed.push(file))
    for (let turn = 0; turn < count; turn++) await nextTurn()
    await mkdir(folder, { recursive: true })
    const stop = await watching
    await writeFile(join(folder, 'spec.yaml'), 'written after the watch has started')
    t.true(await until(() => changed.length > 0, 10_000), `${count} turns`)
    stop()
  }
})
