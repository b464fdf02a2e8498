/** A handler of listInsights that blocks its thread after it has returned, so that the double can neither respond nor stop by itself. */
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'

import { temporaryFolder } from './files.js'
import { succeeds, until } from './until.js'

export interface BlockingHandler {
  readonly file: string
  /** A program for `node --eval` that calls the handler at `INSIGHTS_DOUBLE_URL`, and goes on when it blocks. */
  readonly client: string
  /** Calls the handler of a double. Resolves when it blocks. */
  block(url: string): Promise<boolean>
}

/** Writes the file. @param loops - True if the handler takes all time of a core. Default: it waits, and takes no time from other tests. */
export async function writeBlockingHandler(t: ExecutionContext, loops = false): Promise<BlockingHandler> {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'blocking.mjs')
  const marker = join(folder, 'blocks')
  const act = loops ? 'for (;;);' : 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
  await writeFile(
    file,
    `import { writeFileSync } from 'node:fs'
export const listInsights = ({ next }) => {
  setTimeout(() => { writeFileSync(${JSON.stringify(marker)}, ''); ${act} })
  return next()
}
`,
  )
  const request = `fetch(url + '/insights', { headers: { authorization: 'Bearer ada-token' } }).catch(() => {})`
  return {
    file,
    client: `const url = process.env.INSIGHTS_DOUBLE_URL
void ${request}
while (!(await import('node:fs')).existsSync(${JSON.stringify(marker)})) await new Promise((go) => setTimeout(go, 20))
console.log(url + ' blocks')`,
    block: (url) => {
      fetch(`${url}/insights`, { headers: { authorization: 'Bearer ada-token' } }).catch(() => {})
      return until(() => succeeds(access(marker)))
    },
  }
}
