/** Reads the spec that a user names, as one OpenAPI 3 document that knows the file and line of each value. */
import { isObject } from '../documents/object.js'
import type { Problem } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { openFile } from './file-location.js'

export interface SpecOptions {
  /** The folder above which no file is read. Default: that of the spec. */
  readonly specRoot?: string | undefined
}

export interface Spec extends Source {
  /** The files that were read, as paths. Empty: the spec is from a URL. */
  readonly files: readonly string[]
  /** The format in which it is written, such as `OpenAPI 3.1`. */
  readonly format: string
  /** Warnings about the way it was read. */
  readonly warnings: readonly Problem[]
}

/** @param place - A file. @throws {ProblemsError} It cannot be read. */
export async function readSpec(place: string, options: SpecOptions): Promise<Spec> {
  const location = await openFile(place, options)
  const source = await location.read(location.entry)
  return { ...source, files: [source.file], format: formatOf(source.value), warnings: [] }
}

/** `OpenAPI` and the version without its last part. */
function formatOf(value: unknown): string {
  const version = isObject(value) ? value['openapi'] : undefined
  return typeof version === 'string' ? `OpenAPI ${version.split('.').slice(0, 2).join('.')}` : 'OpenAPI'
}
