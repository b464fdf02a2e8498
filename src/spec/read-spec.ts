/** Reads the spec that a user names, as one OpenAPI 3 document that knows the file and line of each value. */
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import { isUrl } from '../addresses.js'
import { isObject } from '../documents/object.js'
import { pathProblem, statFingerprint } from '../documents/paths.js'
import { type Problem, ProblemsError } from '../documents/problem.js'
import { readSource, type Source } from '../documents/source.js'
import { attempt } from '../error-message.js'
import { findSpec } from './find-spec.js'
import type { SpecLocation, SpecOptions } from './location.js'

export interface Spec extends Pick<SpecLocation, 'hasChanged' | 'remote'> {
  /** The document as OpenAPI 3. Its positions are those in the files that the author edits. */
  readonly source: Source
  /** The files that were read, as paths, first the one that the user named. Empty: the spec is from a URL. */
  readonly files: readonly string[]
  /** The format in which it is written, such as `OpenAPI 3.1`. */
  readonly format: string
  /** The parts that the conversion to OpenAPI 3 cannot keep. */
  readonly diagnostics: readonly Problem[]
  /** Warnings about the way it was read. */
  readonly warnings: readonly Problem[]
}

/** @param place - A file, a folder or a URL. @throws {ProblemsError} It cannot be read. @throws {TypeError} A header is not valid, or is given for a file. */
export async function readSpec(place: string, options: SpecOptions): Promise<Spec> {
  const location = await open(place, options)
  const first = await location.read(location.entry)
  // Code that most specs do not need is loaded on use.
  const { names, source } = refersToOthers(first.value)
    ? await (await import('./bundle-files.js')).bundleFiles(location, first)
    : { names: [location.entry], source: first }
  const spec = await toOpenApi3(source)
  const { hasChanged, remote } = location
  return { ...spec, files: remote ? [] : names, warnings: remote?.warnings ?? [], remote, hasChanged }
}

async function open(place: string, options: SpecOptions): Promise<SpecLocation> {
  if (isUrl(place)) return (await import('./url-location.js')).openUrl(place, options)
  if (options.specHeaders && options.specHeaders.length > 0)
    throw new TypeError(`--spec-header is for a spec from a URL, and ${place} is a file.`)
  return openFile(await findSpec(place), options.specRoot)
}

/** Tells whether a `$ref` names another document. */
const refersToOthers = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(refersToOthers)
    : isObject(value) &&
      Object.entries(value).some(
        ([key, child]) =>
          (key === '$ref' && typeof child === 'string' && !child.startsWith('#')) || refersToOthers(child),
      )

async function toOpenApi3(source: Source): Promise<Spec> {
  if (!isObject(source.value) || source.value['swagger'] !== '2.0') return asSpec(source)
  const { diagnostics, source: converted } = (await import('./convert-swagger.js')).convertSwagger(source)
  return { ...asSpec(source), diagnostics, source: converted }
}

/** Describes a document as a spec of one file that does not change. */
export function asSpec(source: Source): Spec {
  const { openapi, swagger } = isObject(source.value) ? source.value : {}
  const version = typeof swagger === 'string' ? swagger : openapi
  return {
    source,
    diagnostics: [],
    files: [source.file],
    // A document without a version is refused when it is linted.
    format: `${swagger === undefined ? 'OpenAPI' : 'Swagger'} ${typeof version === 'string' ? version.split('.', 2).join('.') : ''}`,
    warnings: [],
    hasChanged: async () => false,
  }
}

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
const pathOf = (folder: string, reference: string): string | undefined =>
  attempt(() =>
    reference.startsWith('file:') ? fileURLToPath(reference) : resolve(folder, decodeURIComponent(reference)),
  )

/** Tells whether a file is below a folder when symlinks are followed. True if there is no such file, so that reading it says so. */
async function isReallyInside(folder: string, file: string): Promise<boolean> {
  const real = await realpath(resolve(file)).catch(() => undefined)
  if (real === undefined) return true
  const refuse = pathProblem(folder, 'cannot be used as a folder', 'name a folder with --spec-root')
  const realFolder = await realpath(resolve(folder)).catch(refuse)
  const below = relative(realFolder, real)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}
