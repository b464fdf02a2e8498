/** Writes OpenAPI Overlays: documents that change a spec. */
import { Document, isSeq, parseDocument } from 'yaml'

import type { Segment } from '../documents/pointer.js'
import type { Source } from '../documents/source.js'
import type { SpecPath } from './spec-places.js'

/** An action of an overlay. */
export type NewOverlayAction =
  | { readonly target: string; readonly update: unknown }
  | { readonly target: string; readonly remove: true }

/** Writes a path as JSONPath: `$['paths']['/orders']`. */
export const toJsonPath = (path: SpecPath): string => `$${path.map(toSelector).join('')}`

const toSelector = (segment: Segment): string =>
  typeof segment === 'number'
    ? `[${segment}]`
    : `['${segment.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}']`

/**
 * Writes an overlay, as JSON if the file is a `.json` file, else as YAML.
 *
 * @param actions - The actions to add, as `NewOverlayAction` or as another overlay has them.
 * @param base - The overlay that they are added to. The rest of it is kept; in YAML its comments too. Default: a new one with the title.
 */
export function writeOverlay(
  file: string,
  title: string,
  actions: readonly unknown[],
  base?: Pick<Source, 'text' | 'value'>,
): string {
  const isJson = file.endsWith('.json')
  const overlay = base?.value ?? { overlay: '1.0.0', info: { title, version: '1.0.0' }, actions: [] }
  const kept = base && !isJson ? parseDocument(base.text) : undefined
  // The actions may also be an alias of another list.
  const document = isSeq(kept?.get('actions')) && kept ? kept : new Document(overlay)
  for (const action of actions)
    document.addIn(['actions'], document.createNode(action, { aliasDuplicateObjects: false }))
  return isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 })
}
