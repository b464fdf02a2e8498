/** Finds the line of a module that an error message or a stack names. */
import { pathToFileURL } from 'node:url'

/**
 * Finds the first line of a module that a text names, such as `file:///handlers.js?version=1:5:3`.
 *
 * @param path - The absolute path of the module.
 */
export function lineInStack(text: string, path: string): number | undefined {
  for (const name of [pathToFileURL(path).href, path]) {
    const [, after] = text.split(name, 2)
    const line = /^(?:\?[^:\s]*)?:(\d+)/u.exec(after ?? '')?.[1]
    if (line !== undefined) return Number(line)
  }
  return undefined
}
