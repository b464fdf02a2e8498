/** Writes OpenAPI Overlays: documents that change a spec. */
import { stringify } from 'yaml'

import type { Segment } from '../documents/pointer.js'
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
 * @param actions - The actions of this run, as `NewOverlayAction`, and those of a given overlay, which are written unchanged.
 */
export function writeOverlay(file: string, title: string, actions: readonly unknown[]): string {
  const overlay = { overlay: '1.0.0', info: { title, version: '1.0.0' }, actions }
  return file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : stringify(overlay, { lineWidth: 0 })
}
