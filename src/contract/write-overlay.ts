/** Writes an OpenAPI Overlay: its actions, and the paths of their targets. */
import { Document, isSeq, parseDocument } from 'yaml'

import { mapValues, objectOf } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { Source } from '../documents/source.js'
import type { SpecPath } from './spec-places.js'

export type NewOverlayAction =
  | { readonly target: string; readonly update: unknown }
  | { readonly target: string; readonly remove: true }

export const toJsonPath = (path: SpecPath): string => `$${path.map(toSelector).join('')}`

export const removeAction = (path: SpecPath): NewOverlayAction => ({ target: toJsonPath(path), remove: true })

export const updateAction = (path: SpecPath, update: unknown) => ({ target: toJsonPath(path), update })

/** Leaves out what an earlier action says of the same response: an update would add the items of its lists again. @param actions - Updates of all responses of an operation, and others. */
export function describeOnce(actions: readonly NewOverlayAction[]): readonly NewOverlayAction[] {
  const described = new Set<string>()
  return actions.map((action) => {
    if (!('update' in action) || !action.target.endsWith("['responses']")) return action
    const update = mapValues(objectOf(action.update), (response, status) => {
      const { content, description: _description, ...others } = objectOf(response)
      const key = `${action.target} ${status}`
      if (content === undefined) return response
      if (described.has(key)) return others
      described.add(key)
      return response
    })
    return { ...action, update }
  })
}

const toSelector = (segment: Segment): string =>
  typeof segment === 'number'
    ? `[${segment}]`
    : `['${segment.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}']`

/** @param base - The overlay that the actions are added to. The rest of it is kept; in YAML its comments too. Default: a new one with the title. */
export function writeOverlay(file: string, title: string, actions: readonly unknown[], base?: Source): string {
  const isJsonFile = file.endsWith('.json')
  const overlay = base?.value ?? { overlay: '1.0.0', info: { title, version: '1.0.0' }, actions: [] }
  const kept = base && !isJsonFile ? parseDocument(base.text) : undefined
  // The actions may also be an alias of another list.
  const document = isSeq(kept?.get('actions')) && kept ? kept : new Document(overlay)
  for (const action of actions)
    document.addIn(['actions'], document.createNode(action, { aliasDuplicateObjects: false }))
  return isJsonFile ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 })
}
