/** A spec in files: its references may name files in its folder and below. */
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describePathError } from '../documents/path-problem.js'
import { ProblemsError } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { statFingerprint } from '../documents/stat-fingerprint.js'
import type { SpecLocation } from './location.js'

/** @param root - The folder above which no file is read, also not by a symlink. Default: that of the file. */
export function openFile(entry: string, root = dirname(entry)): SpecLocation {
  const named = (path: string): string => (isAbsolute(entry) ? path : relative('', path))
  const fingerprints = new Map<string, string>()
  return {
    entry,
    resolve: (from, reference) => {
      if (/^(?!file:)[a-z][a-z\d+.-]+:|^\/\//iu.test(reference))
        return {
          refused: 'is not a file',
          hint: 'save the document below the folder of the spec, or serve the spec from that URL',
        }
      const path = pathOf(dirname(resolve(from)), reference)
      if (path === undefined) return { refused: 'is not a path', hint: 'write a path relative to this file' }
      return { name: path === resolve(entry) ? entry : named(path) }
    },
    read: async (name) => {
      fingerprints.set(name, await statFingerprint(resolve(name)))
      if (name !== entry && !(await isReallyInside(root, name))) {
        const hint = 'move it there, or name a folder that has both with --spec-root'
        throw new ProblemsError([{ file: name, what: `is outside of the folder ${root}`, hint }])
      }
      return readSource(name)
    },
    hasChanged: async () => {
      for (const [name, fingerprint] of fingerprints)
        if ((await statFingerprint(resolve(name))) !== fingerprint) return true
      return false
    },
  }
}

/** @returns Undefined: the reference is not valid. */
function pathOf(folder: string, reference: string): string | undefined {
  try {
    return reference.startsWith('file:') ? fileURLToPath(reference) : resolve(folder, decodeURIComponent(reference))
  } catch {
    return undefined
  }
}

function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** Tells whether a file is below a folder when symlinks are followed. True if there is no such file, so that reading it says so. */
async function isReallyInside(folder: string, file: string): Promise<boolean> {
  const real = await realpath(resolve(file)).catch(() => undefined)
  if (real === undefined) return true
  const realFolder = await realpath(resolve(folder)).catch((error: unknown) => {
    const what = `cannot be used as a folder: ${describePathError(error)}`
    throw new ProblemsError([{ file: folder, what, hint: 'name a folder with --spec-root' }])
  })
  return isInside(realFolder, real)
}
