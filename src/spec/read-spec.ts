/** Reads the spec that a user names, as one OpenAPI 3 document that knows the file and line of each value. */
import { isUrl } from '../addresses.js'
import type { Problem } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { openFile } from './file-location.js'
import type { RemoteSpec, SpecLocation, SpecOptions } from './location.js'

export interface Spec extends Source {
  /** The files that were read, as paths. Empty: the spec is from a URL. */
  readonly files: readonly string[]
  /** The format in which it is written, such as `OpenAPI 3.1`. */
  readonly format: string
  /** Warnings about the way it was read. */
  readonly warnings: readonly Problem[]
  /** Undefined: the spec is not from a URL. */
  readonly remote?: RemoteSpec | undefined
}

/** @param place - A file or a URL. @throws {ProblemsError} It cannot be read. @throws {TypeError} A header is not valid, or is given for a file. */
export async function readSpec(place: string, options: SpecOptions): Promise<Spec> {
  const location = await open(place, options)
  const source = await location.read(location.entry)
  const { remote } = location
  return { ...source, files: remote ? [] : [source.file], format: 'OpenAPI', warnings: remote?.warnings ?? [], remote }
}

async function open(place: string, options: SpecOptions): Promise<SpecLocation> {
  // Loaded on use: most specs are files.
  if (isUrl(place)) return (await import('./url-location.js')).openUrl(place, options)
  if (options.specHeaders && options.specHeaders.length > 0)
    throw new TypeError(`--spec-header is for a spec from a URL, and ${place} is a file.`)
  return openFile(place, options)
}
