/** Applies an OpenAPI Overlay 1.0, a list of changes to a spec, whose targets are JSONPaths (RFC 9535). */
import { exec, type JsonValue } from 'jsonpath-rfc9535'

import { isObject, listOf, setProperty } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import { type Problem, problemAt, ProblemsError } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { suggest } from '../nearest-name.js'
import { runWithTimeLimit, TimeLimitError } from '../run-with-time-limit.js'
import { createOrigins, type Origins } from '../spec/origins.js'

/** Applies the actions of an overlay, in order. @returns Also warnings: actions that target nothing. @throws {ProblemsError} It is invalid, or an action cannot be applied. */
export function applyOverlay(spec: Source, overlay: Source): { source: Source; warnings: readonly Problem[] } {
  const actions = readOverlay(overlay)
  // A YAML alias and its anchor are one object. They must become two: an action may target one of them.
  const document: unknown = JSON.parse(JSON.stringify(spec.value ?? null))
  const origins = createOrigins(spec)
  const remember: Remember = (container, key, path) => origins.set(container, key, { source: overlay, path })
  // A value takes about a thousandth of a millisecond, and ten times as long on a busy machine.
  const limitMs = minMs + Math.ceil(spec.text.length / 100)
  const warnings: Problem[] = []
  const problems: Problem[] = []
  for (const action of actions) {
    const at = [...action.at, 'target']
    const name = nameOf(action.at)
    const targets = findTargets(document, action, overlay, limitMs)
    const nothing = `${name} targets nothing: ${action.target}`
    if (targets.length === 0)
      warnings.push(problemAt(overlay, at, nothing, 'correct the JSONPath, or remove the action'))
    const wrong = action.remove ? removeAll(document, targets, origins) : updateAll(document, targets, action, remember)
    if (wrong !== undefined) problems.push(problemAt(overlay, at, `${name} ${wrong}`, 'correct the JSONPath'))
  }
  if (problems.length > 0) throw new ProblemsError(problems)
  return { source: origins.toSource(document), warnings }
}

type Paths = readonly (readonly Segment[])[]

/** The shortest time after which a JSONPath is ended, milliseconds: a filter in a filter reads the whole document for each of its values. */
const minMs = 2000

/** Finds the targets of an action, each once. @throws {ProblemsError} Its JSONPath takes longer than the limit. */
function findTargets(document: unknown, { at, target }: OverlayAction, overlay: Source, limitMs: number): Paths {
  try {
    return runWithTimeLimit(limitMs, () => selectPaths(document, target))
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    const what = `${nameOf(at)} is too slow: its target takes longer than ${limitMs} ms`
    throw new ProblemsError([problemAt(overlay, [...at, 'target'], what, 'write the path of the target')])
  }
}

const nameOf = (at: OverlayAction['at']): string => `action ${Number(at.at(-1)) + 1}`

type Container = Record<Segment, unknown>

type Remember = (container: object, key: Segment, path: readonly Segment[]) => void

/** Removes values. @returns The reason why it cannot, as the end of a sentence. */
function removeAll(document: unknown, targets: Paths, origins: Origins): string | undefined {
  if (targets.some((path) => path.length === 0)) return 'would remove the whole document'
  // The last items first: a removal moves the items after it.
  for (const path of targets.toSorted(lastFirst)) {
    const parent = valueAt(document, path.slice(0, -1))
    const key = path.at(-1) ?? ''
    if (Array.isArray(parent) && typeof key === 'number') {
      origins.shorten(parent)
      parent.splice(key, 1)
    } else if (isObject(parent)) delete (parent as Container)[key]
  }
  return undefined
}

function lastFirst(one: readonly Segment[], other: readonly Segment[]): number {
  const depth = one.findIndex((segment, index) => segment !== other[index])
  const [mine, theirs] = [one[depth], other[depth]]
  return typeof mine === 'number' && typeof theirs === 'number' ? theirs - mine : other.length - one.length
}

/** Merges the update of an action into values. @returns The reason why it cannot, as the end of a sentence. */
function updateAll(document: unknown, targets: Paths, { at, update }: OverlayAction, remember: Remember) {
  const from = [...at, 'update']
  for (const path of targets) {
    const target = valueAt(document, path)
    if (Array.isArray(target)) append(target, update, from, remember)
    else if (!isObject(target)) return 'targets a value that is neither an object nor an array'
    else if (!isObject(update)) return 'targets an object, and its update is none'
    else mergeInto(target, update, from, remember)
  }
  return undefined
}

/** Merges objects, adds the items of arrays, and replaces everything else, as Overlay 1.0 says. */
function mergeInto(target: object, update: object, from: readonly Segment[], remember: Remember): void {
  for (const [key, value] of Object.entries(update) as [string, unknown][]) {
    const known = Object.hasOwn(target, key) ? (target as Container)[key] : undefined
    const path = [...from, key]
    if (isObject(known) && isObject(value)) mergeInto(known, value, path, remember)
    else if (Array.isArray(known) && Array.isArray(value))
      for (const [index, item] of value.entries()) append(known, item, [...path, index], remember)
    else {
      setProperty(target, key, structuredClone(value))
      remember(target, key, path)
    }
  }
}

function append(target: unknown[], item: unknown, from: readonly Segment[], remember: Remember): void {
  remember(target, target.length, from)
  target.push(structuredClone(item))
}

type OverlayAction = NonNullable<ReturnType<typeof readAction>>

const version = 'overlay: 1.0.0'

/** Reads the actions of an overlay, whose `extends` is not followed. @throws {ProblemsError} It is not valid. */
export function readOverlay(source: Source): readonly OverlayAction[] {
  const problems: Problem[] = []
  const refuse: Refuse = (path, what, hint, at) => void problems.push(problemAt(source, path, what, hint, at))
  const { value } = source
  const hint = `write an Overlay document, with \`${version}\` at the top`
  if (!isObject(value) || !Object.hasOwn(value, 'overlay'))
    throw new ProblemsError([problemAt(source, [], 'is not an OpenAPI Overlay', hint)])
  const { actions, info, overlay } = value
  if (typeof overlay !== 'string' || !/^1\.0\.\d+$/u.test(overlay))
    refuse(['overlay'], `Overlay version ${JSON.stringify(overlay)} is not supported`, `use \`${version}\``)
  if (!isObject(info) || typeof info['title'] !== 'string' || typeof info['version'] !== 'string')
    refuse(['info'], 'info must have a title and a version', 'write info: { title: …, version: … }')
  refuseUnknown(value, [], ['overlay', 'info', 'extends', 'actions'], refuse)
  const list = listOf(actions)
  if (list.length === 0) refuse(['actions'], 'actions must be a list of at least one action', 'write {target, update}')
  const read = list.map((action, index) => readAction(action, ['actions', index], refuse))
  if (problems.length > 0) throw new ProblemsError(problems)
  return read.filter((action) => action !== undefined)
}

type Refuse = (path: readonly Segment[], what: string, hint: string, at?: 'key' | 'value') => void

/** @returns The JSONPath of its targets, and the value to merge into each of them, which has no effect if they are removed. */
function readAction(action: unknown, at: readonly Segment[], refuse: Refuse) {
  if (!isObject(action)) {
    refuse(at, 'an action must be an object', 'write {target, update}')
    return undefined
  }
  refuseUnknown(action, at, ['target', 'description', 'update', 'remove'], refuse)
  const { remove = false, target, update } = action
  if (typeof remove !== 'boolean') refuse([...at, 'remove'], 'remove must be true or false', 'write true')
  if (update === undefined && remove !== true)
    refuse(at, 'an action must have update, or remove: true', 'write what to merge into the target')
  if (typeof target !== 'string') {
    refuse([...at, 'target'], 'target must be a JSONPath', "write it as a string, such as $.paths['/orders'].get")
    return undefined
  }
  try {
    selectPaths({}, target)
  } catch {
    refuse([...at, 'target'], `${JSON.stringify(target)} is not JSONPath`, "write one such as $.paths['/orders'].get")
  }
  return { at, target, update, remove: remove === true }
}

function refuseUnknown(object: object, at: readonly Segment[], known: readonly string[], refuse: Refuse): void {
  for (const key of Object.keys(object))
    if (!known.includes(key) && !key.startsWith('x-'))
      refuse([...at, key], `key "${key}" is not known`, suggest(key, known), 'key')
}

/** Finds the paths of all values that a JSONPath selects, each once. @throws {SyntaxError} It cannot be parsed. */
function selectPaths(document: unknown, jsonPath: string): Paths {
  const found = new Map<string, readonly Segment[]>()
  exec(document as JsonValue, jsonPath, (_value, path) => {
    const segments = path.map((segment) => (typeof segment === 'string' ? unescape(segment) : segment))
    found.set(JSON.stringify(segments), segments)
  })
  return [...found.values()]
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const unescape = (segment: string): string =>
  segment.replaceAll(/\\(?:u([\da-f]{4})|(.))/gu, (_escape, code: string | undefined, character: string) =>
    code === undefined ? (escapes[character] ?? character) : String.fromCodePoint(parseInt(code, 16)),
  )
