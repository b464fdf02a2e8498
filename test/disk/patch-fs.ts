/**
 * Wraps the file system calls of this process: records the calls below watched folders, and delays them or makes them fail on request.
 * So a test sees the order of the calls, and can simulate a broken disk on any machine.
 */
import fs, { type PathLike } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** A step of a write. A sync is of a file or of a folder. */
export type Step = 'open' | 'write' | 'sync' | 'sync-folder' | 'rename'

/** Decides about the steps below a folder. */
export interface Watch {
  /** Called before a step. It waits, or throws, to hold or fail the step. */
  before(step: Step, path: string): Promise<void>
  after(step: Step, path: string): void
}

const watches = new Map<string, Watch>()

/** Watches a folder. @param folder - Its real path. @returns A function that ends the watch. */
export function watchFolder(folder: string, watch: Watch): () => void {
  watches.set(folder, watch)
  return () => watches.delete(folder)
}

/** The lock is created and removed independently of writes. */
const isLock = (path: string): boolean => /\.(?:holder|lock|takeover)\b/u.test(path)

function watchOf(path: string): Watch | undefined {
  if (isLock(path)) return undefined
  for (const [folder, watch] of watches) if (path.startsWith(folder)) return watch
  return undefined
}

const files = new Map<number, { readonly path: string; readonly isFolder: boolean }>()

function opened(fd: number, path: PathLike): void {
  files.delete(fd)
  if (watchOf(String(path))) files.set(fd, { path: String(path), isFolder: fs.fstatSync(fd).isDirectory() })
}

const isForWriting = (flags: unknown): boolean => /[wa+]/u.test(String(flags)) || Number(flags) > 0

/** The name of a call, and its file. Undefined: the call is not recorded. */
type Described = readonly [step: Step, path: string] | undefined

function describeFile(name: string, fd: unknown): Described {
  const file = typeof fd === 'number' ? files.get(fd) : undefined
  if (!file) return undefined
  if (!name.endsWith('sync')) return ['write', file.path]
  return [file.isFolder ? 'sync-folder' : 'sync', file.path]
}

function describe(name: string, [first, second]: readonly unknown[]): Described {
  if (name === 'open') return isForWriting(second) ? ['open', String(first)] : undefined
  if (name === 'rename') return ['rename', `${String(first)} ${String(second)}`]
  return describeFile(name, first)
}

/** Runs a watched step, after it was delayed or failed on request. */
async function step<T>(described: Described, run: () => Promise<T>): Promise<T> {
  const watch = described && watchOf(described[1])
  if (!described || !watch) return run()
  await watch.before(...described)
  const result = await run()
  watch.after(...described)
  return result
}

type Callback = (error: unknown, ...results: readonly unknown[]) => void

async function callBack(done: Promise<readonly unknown[]>, callback: Callback): Promise<void> {
  let results: readonly unknown[]
  try {
    results = await done
  } catch (error) {
    callback(error)
    return
  }
  callback(null, ...results)
}

for (const name of ['open', 'write', 'fsync', 'fdatasync', 'rename'] as const) {
  const original = fs[name] as unknown as (...words: unknown[]) => void
  const wrapped = (...words: unknown[]): void => {
    const callback = words.pop() as Callback
    const run = (): Promise<readonly unknown[]> =>
      new Promise((resolve, reject) => {
        original(...words, (error: unknown, ...results: readonly unknown[]) => {
          if (error instanceof Error) return reject(error)
          if (name === 'open') opened(Number(results[0]), words[0] as PathLike)
          resolve(results)
        })
      })
    const described = describe(name, words)
    void callBack(step(described, run), callback)
  }
  // What `util.promisify` looks for.
  Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original))
  Object.assign(fs, { [name]: wrapped })
}

const { promises } = fs
const { open, rename, writeFile } = promises

promises.rename = (from, to) => step(['rename', `${String(from)} ${String(to)}`], () => rename(from, to))

promises.writeFile = (file, ...words) => {
  const run = (): Promise<void> => writeFile(file, ...words)
  return typeof file === 'string' ? step(['open', file], () => step(['write', file], run)) : run()
}

promises.open = async (path, flags, mode) => {
  const handle = await step(describe('open', [path, flags]), () => open(path, flags, mode))
  opened(handle.fd, path)
  for (const name of ['sync', 'datasync', 'write', 'writev', 'writeFile', 'appendFile'] as const) {
    const original = handle[name].bind(handle) as (...words: unknown[]) => Promise<unknown>
    const wrapped = (...words: unknown[]): Promise<unknown> =>
      step(describeFile(name, handle.fd), () => original(...words))
    Object.assign(handle, { [name]: wrapped })
  }
  return handle
}

syncBuiltinESMExports()
