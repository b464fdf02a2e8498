/** Applies an OpenAPI Overlay 1.0 to a spec. */
import { isObject, setProperty } from '../../documents/object.js'
import { type Segment, valueAt } from '../../documents/pointer.js'
import { type Problem, problemAt, ProblemsError } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { Origins } from '../../spec/origins.js'
import { findPaths, type OverlayAction, readOverlay, TooManyStepsError } from './read-overlay.js'

export interface OverlaidSource {
  /** Its text is created from the result. Positions of values from the overlay name the overlay's file. */
  readonly source: Source
  /** Warnings: actions that target nothing. */
  readonly warnings: readonly Problem[]
}

/** The number of values that the target of an action may read, in addition to one for each character of the spec. */
const minSteps = 300_000

/** Applies the actions of an overlay, in order. @throws {ProblemsError} The overlay is invalid, or an action cannot be applied. */
export function applyOverlay(spec: Source, overlay: Source): OverlaidSource {
  const actions = readOverlay(overlay)
  // A YAML alias and its anchor are one object. They must become two: an action may target one of them.
  const document: unknown = JSON.parse(JSON.stringify(spec.value ?? null))
  const origins = new Origins(spec)
  const warnings: Problem[] = []
  const problems: Problem[] = []
  for (const action of actions) {
    const at = [...action.at, 'target']
    const name = `action ${Number(action.at.at(-1)) + 1}`
    const targets = findTargets(document, action.target, minSteps + spec.text.length, (reason) => {
      const what = `${name} is too slow: its target ${reason}`
      return problemAt(overlay, at, what, 'write the path of the target')
    })
    const nothing = `${name} targets nothing: ${action.target}`
    if (targets.length === 0)
      warnings.push(problemAt(overlay, at, nothing, 'correct the JSONPath, or remove the action'))
    const wrong = action.remove
      ? removeAll(document, targets, origins)
      : updateAll(document, targets, action, { origins, source: overlay })
    if (wrong !== undefined) problems.push(problemAt(overlay, at, `${name} ${wrong}`, 'correct the JSONPath'))
  }
  if (problems.length > 0) throw new ProblemsError(problems)
  return { source: origins.toSource(document), warnings }
}

type Paths = readonly (readonly Segment[])[]

/** Finds the targets of an action. @throws {ProblemsError} Its JSONPath reads too much. */
function findTargets(document: unknown, target: string, max: number, tooSlow: (reason: string) => Problem): Paths {
  try {
    return findPaths(document, target, max)
  } catch (error) {
    throw error instanceof TooManyStepsError ? new ProblemsError([tooSlow(error.message)]) : error
  }
}

type Container = Record<Segment, unknown>

/** Remembers that values come from the overlay. */
interface Remembered {
  readonly origins: Origins
  readonly source: Source
}

/** Removes values. @returns The reason why it cannot, as the end of a sentence. */
function removeAll(document: unknown, targets: Paths, origins: Origins): string | undefined {
  if (targets.some((path) => path.length === 0)) return 'would remove the whole document'
  // The last items first: a removal moves the items after it.
  for (const path of targets.toSorted(lastFirst)) {
    const parent = valueAt(document, path.slice(0, -1))
    const key = path.at(-1) ?? ''
    if (Array.isArray(parent) && typeof key === 'number') {
      origins.removeItem(parent, key)
      parent.splice(key, 1)
    } else if (isObject(parent)) delete (parent as Container)[key]
  }
  return undefined
}

function lastFirst(one: readonly Segment[], other: readonly Segment[]): number {
  for (const [depth, segment] of one.entries()) {
    const different = other[depth]
    if (typeof segment === 'number' && typeof different === 'number' && segment !== different)
      return different - segment
    if (segment !== different) break
  }
  return other.length - one.length
}

/** Merges the update of an action into values. @returns The reason why it cannot, as the end of a sentence. */
function updateAll(
  document: unknown,
  targets: Paths,
  { at, update }: OverlayAction,
  into: Remembered,
): string | undefined {
  const from = [...at, 'update']
  for (const path of targets) {
    const target = valueAt(document, path)
    if (Array.isArray(target)) append(target, [update], [from], into)
    else if (!isObject(target)) return 'targets a value that is neither an object nor an array'
    else if (!isObject(update)) return 'targets an object, and its update is none'
    else mergeInto(target, update, from, into)
  }
  return undefined
}

/** Merges objects, adds the items of arrays, and replaces everything else, as Overlay 1.0 says. */
function mergeInto(target: object, update: object, from: readonly Segment[], into: Remembered): void {
  for (const [key, value] of Object.entries(update) as [string, unknown][]) {
    const known = Object.hasOwn(target, key) ? (target as Container)[key] : undefined
    const path = [...from, key]
    if (isObject(known) && isObject(value)) mergeInto(known, value, path, into)
    else if (Array.isArray(known) && Array.isArray(value)) {
      const paths = value.map((_, index) => [...path, index])
      append(known, value, paths, into)
    } else {
      setProperty(target, key, structuredClone(value))
      into.origins.set(target, key, { source: into.source, path })
    }
  }
}

function append(target: unknown[], items: readonly unknown[], paths: Paths, { origins, source }: Remembered): void {
  for (const [index, item] of items.entries()) {
    origins.set(target, target.length, { source, path: paths[index] ?? [] })
    target.push(structuredClone(item))
  }
}
