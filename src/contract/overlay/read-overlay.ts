/** Reads an OpenAPI Overlay 1.0: a list of changes to a spec. */
import { isObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import type { Problem } from '../../documents/problem.js'
import { ProblemsError, problemAt } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { suggest } from '../../nearest-name.js'
import { describeSyntaxError, findPaths } from './json-path.js'

/** One action of an overlay. */
export interface OverlayAction {
  /** The place of the action in the overlay. */
  readonly at: readonly Segment[]
  /** A JSONPath. */
  readonly target: string
  /** The value to merge into each target. Undefined: none. */
  readonly update: unknown
  /** True if each target is removed. An update then has no effect. */
  readonly remove: boolean
}

const version = 'overlay: 1.0.0'
const topKeys = ['overlay', 'info', 'extends', 'actions']
const actionKeys = ['target', 'description', 'update', 'remove']

/**
 * Reads the actions of an overlay. `extends` is not followed: the spec is the one that the user names.
 *
 * @throws {ProblemsError} The document is not an overlay, or a JSONPath cannot be parsed.
 */
export function readOverlay(source: Source): readonly OverlayAction[] {
  const problems: Problem[] = []
  const refuse: Refuse = (path, what, hint, at) => void problems.push(problemAt(source, path, what, hint, at))
  const { value } = source
  if (!isObject(value) || !Object.hasOwn(value, 'overlay')) {
    refuse([], 'is not an OpenAPI Overlay', `write an Overlay document, with \`${version}\` at the top`)
    throw new ProblemsError(problems)
  }
  const { actions, info, overlay } = value
  if (typeof overlay !== 'string' || !/^1\.0\.\d+$/u.test(overlay))
    refuse(['overlay'], `Overlay version ${JSON.stringify(overlay)} is not supported`, `use \`${version}\``)
  if (!isObject(info) || typeof info['title'] !== 'string' || typeof info['version'] !== 'string')
    refuse(['info'], 'info must have a title and a version', 'write info: { title: …, version: … }')
  refuseUnknown(value, [], topKeys, refuse)
  const list: readonly unknown[] = Array.isArray(actions) ? actions : []
  if (list.length === 0) refuse(['actions'], 'actions must be a list of at least one action', 'write {target, update}')
  const read = list.map((action, index) => readAction(action, ['actions', index], refuse))
  if (problems.length > 0) throw new ProblemsError(problems)
  return read.filter((action) => action !== undefined)
}

type Refuse = (path: readonly Segment[], what: string, hint: string, at?: 'key' | 'value') => void

function readAction(action: unknown, at: readonly Segment[], refuse: Refuse): OverlayAction | undefined {
  if (!isObject(action)) {
    refuse(at, 'an action must be an object', 'write {target, update}')
    return undefined
  }
  refuseUnknown(action, at, actionKeys, refuse)
  const { remove = false, target, update } = action
  if (typeof remove !== 'boolean') refuse([...at, 'remove'], 'remove must be true or false', 'write true')
  if (update === undefined && remove !== true)
    refuse(at, 'an action must have update, or remove: true', 'write what to merge into the target')
  if (typeof target !== 'string') {
    refuse([...at, 'target'], 'target must be a JSONPath', "write it as a string, such as $.paths['/orders'].get")
    return undefined
  }
  try {
    findPaths({}, target, 1)
  } catch (error) {
    const why = describeSyntaxError(error, target)
    refuse([...at, 'target'], `is not JSONPath: ${why}`, "write one such as $.paths['/orders'].get")
  }
  return { at, target, update, remove: remove === true }
}

function refuseUnknown(object: object, at: readonly Segment[], known: readonly string[], refuse: Refuse): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key) || key.startsWith('x-')) continue
    refuse([...at, key], `key "${key}" is not known`, suggest(key, known), 'key')
  }
}
