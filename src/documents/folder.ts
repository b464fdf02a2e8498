/** Looks at what a path leads to, where nothing of it is read. */
import { statSync } from 'node:fs'

/** Whether a path leads to a folder. False also where it cannot be looked at. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
