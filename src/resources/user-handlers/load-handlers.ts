/** Loads the handlers of a file. */
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { Operation } from '../../contract/contract.js'
import { describePathError, statFile } from '../../documents/paths.js'
import { createLineCounter, type Position, type Problem, ProblemsError } from '../../documents/problem.js'
import { errorMessage } from '../../error-message.js'
import { suggest } from '../../nearest-name.js'
import { nodePath } from '../../node-process.js'

/** A handler that a user wrote for an operation. Its argument is a `HandlerRequest`; its result is not trusted. */
type UserHandler = (request: object) => unknown

export interface UserHandlers {
  /** The path of the file, as the user named it. */
  readonly file: string
  /** The handlers, and their lines in the file. */
  readonly byOperation: ReadonlyMap<string, { readonly handle: UserHandler; readonly line: number }>
}

/** A file of handlers: a path, the text of a `file:` URL, or a URL. */
export type HandlersFile = string | { readonly href: string }

export function handlersPath(file: HandlersFile): string {
  const name = typeof file === 'string' ? file : file.href
  return name.startsWith('file:') ? fileURLToPath(name) : resolve(name)
}

/**
 * Loads the handlers of a file: its exports by operationId, or the properties of its default export by operationId or `METHOD /path`.
 *
 * A changed file is imported again; modules that it imports are not. Node keeps every version of a module, so each change costs memory.
 *
 * @throws {ProblemsError} The file cannot be imported, exports no handler, or exports one that no operation calls.
 */
export async function loadHandlers(
  handlers: HandlersFile,
  operations: readonly Pick<Operation, 'id' | 'method' | 'path'>[],
): Promise<UserHandlers> {
  const file = typeof handlers === 'string' ? handlers : handlersPath(handlers)
  const text = await readModule(file)
  const exported = await importFresh(file, text)
  const problems: Problem[] = []
  const refuse = (name: string, what: string, hint: string): void =>
    void problems.push({ file, position: positionOf(text, name), what, hint })
  const byOperation = new Map<string, { readonly handle: UserHandler; readonly line: number }>()
  for (const [name, value] of handlersIn(exported, refuse)) {
    const operation = operations.find(({ id, method, path }) => id === name || `${method} ${path}` === name)
    if (!operation) refuse(name, `"${name}" is not an operation of the contract`, suggestOperation(name, operations))
    else if (typeof value !== 'function') refuse(name, `${name} is not a function`, 'export a function')
    else if (Object.prototype.toString.call(value) !== '[object Function]')
      refuse(name, `${name} is an async function or a generator`, 'write a plain function; handlers are synchronous')
    else if ((byOperation.get(operation.id)?.handle ?? value) !== value)
      refuse(name, `${operation.id} has two handlers`, 'remove one of them')
    else byOperation.set(operation.id, { handle: value as UserHandler, line: positionOf(text, name).line })
  }
  if (problems.length === 0 && byOperation.size === 0)
    refuse('', 'exports no handler', 'export a function that is named like an operation')
  if (problems.length > 0) throw new ProblemsError(problems)
  return { file, byOperation }
}

async function readModule(file: string): Promise<string> {
  const path = handlersPath(file)
  try {
    await statFile(path)
    return await readFile(path, 'utf8')
  } catch (error) {
    const hint = 'check the path, or name another file with --handlers'
    throw new ProblemsError([{ file, what: `cannot be read: ${describePathError(error)}`, hint }])
  }
}

/** Imports a file. A version that was imported before is not imported again. */
async function importFresh(file: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  const path = handlersPath(file)
  const { mtimeMs, size } = await stat(path)
  // Node also caches a CommonJS module by its path.
  delete createRequire(import.meta.url).cache[path]
  try {
    return (await import(`${pathToFileURL(path).href}?version=${mtimeMs}-${size}`)) as Readonly<Record<string, unknown>>
  } catch (error) {
    const { name = '', stack = '' } = error instanceof Error ? error : {}
    const line = lineInStack(stack, path) ?? (name === 'SyntaxError' ? await syntaxErrorLine(text) : undefined)
    const position = { line: line ?? 1, column: 1 }
    const isTypeScript = /Unknown file extension "\.[cm]?ts"/u.test(errorMessage(error))
    const [what, hint] = isTypeScript
      ? ['is TypeScript, which needs Node.js 22.18 or newer', 'compile it, and name the JavaScript file']
      : [`cannot be imported: ${name && `${name}: `}${errorMessage(error).replace(/\.$/u, '')}`, 'correct the module']
    throw new ProblemsError([{ file, position, what, hint }])
  }
}

/** Finds the line of a syntax error in the text of an ES module. The error of an import does not contain it, but the output of `node --check` does. */
function syntaxErrorLine(text: string): Promise<number | undefined> {
  return new Promise((settle) => {
    const words = ['--check', '--input-type=module', '-']
    const check = execFile(nodePath, words, (_error, _stdout, stderr) => settle(lineInStack(stderr, '[stdin]')))
    check.stdin?.end(text)
  })
}

type Refuse = (name: string, what: string, hint: string) => void

/** Returns the exports that should be handlers. The exports of a CommonJS module are also its default export. */
function handlersIn(
  exported: Readonly<Record<string, unknown>>,
  refuse: Refuse,
): readonly (readonly [name: string, value: unknown])[] {
  const named = Object.entries(exported).filter(([name]) => !['default', 'module.exports', '__esModule'].includes(name))
  const { default: byDefault } = exported
  if (byDefault === undefined) return named
  if (typeof byDefault !== 'object' || byDefault === null) {
    refuse('default', 'the default export is not an object', 'export an object of functions by operation')
    return named
  }
  return [...named, ...Object.entries(byDefault)]
}

function suggestOperation(name: string, operations: readonly Pick<Operation, 'id' | 'method' | 'path'>[]): string {
  const names = operations.flatMap(({ id, method, path }) => [...new Set([id, `${method} ${path}`])])
  return suggest(name, names, 'see insights-double explain for the operations')
}

const positionOf = (text: string, name: string): Position => createLineCounter(text)(Math.max(0, text.indexOf(name)))

/**
 * Finds the first line of a module that a text names, such as `file:///handlers.js?version=1:5:3`.
 *
 * @param path - The absolute path of the module.
 */
export function lineInStack(text: string, path: string): number | undefined {
  const [line] = [pathToFileURL(path).href, path].flatMap((name) => {
    const [, after = ''] = text.split(name, 2)
    return /^(?:\?[^:\s]*)?:(\d+)/u.exec(after)?.[1] ?? []
  })
  return line === undefined ? undefined : Number(line)
}
