/** Applies an OpenAPI Overlay 1.0 to a spec. */
import { isObject, setProperty } from '../../documents/object.js'
import { type Segment, valueAt } from '../../documents/pointer.js'
import { type Problem, problemAt, ProblemsError } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { Origins } from '../../spec/origins.js'
import { findPaths, type OverlayAction, readOverlay, TooManyStepsError } from './read-overlay.js'

/** The number of values that the target of an action may read, in addition to one for each character of the spec. */
const minSteps = 300_000

/**
 * Applies the actions of an overlay, in order.
 *
 * @returns A source whose text is created from the result, and in which positions of values from the overlay name the overlay's file; and
 * warnings: actions that target nothing.
 * @throws {ProblemsError} The overlay is invalid, or an action cannot be applied.
 */
export function applyOverlay(spec: Source, overlay: Source): { source: Source; warnings: readonly Problem[] } {
  const actions = readOverlay(overlay)
  // A YAML alias and its anchor are one object. They must become two: an action may target one of them.
  const document: unknown = JSON.parse(JSON.stringify(spec.value ?? null))
  const origins = new Origins(spec)
  const remember: Remember = (container, key, path) => origins.set(container, key, { source: overlay, path })
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
    const wrong = action.remove ? removeAll(document, targets, origins) : updateAll(document, targets, action, remember)
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

/** Remembers that a value comes from a path of the overlay. */
type Remember = (container: object, key: Segment, path: readonly Segment[]) => void

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
function updateAll(document: unknown, targets: Paths, { at, update }: OverlayAction, remember: Remember) {
  const from = [...at, 'update']
  for (const path of targets) {
    const target = valueAt(document, path)
    if (Array.isArray(target)) append(target, [update], [from], remember)
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
    else if (Array.isArray(known) && Array.isArray(value)) {
      const paths = value.map((_, index) => [...path, index])
      append(known, value, paths, remember)
    } else {
      setProperty(target, key, structuredClone(value))
      remember(target, key, path)
    }
  }
}

function append(target: unknown[], items: readonly unknown[], paths: Paths, remember: Remember): void {
  for (const [index, item] of items.entries()) {
    remember(target, target.length, paths[index] ?? [])
    target.push(structuredClone(item))
  }
}
