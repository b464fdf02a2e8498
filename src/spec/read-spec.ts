/** Reads the spec that a user names, as one OpenAPI 3 document that knows the file and line of each value. */
import { isObject } from '../documents/object.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { bundleFiles } from './bundle-files.js'
import { convertSwagger } from './convert-swagger.js'
import { openFile } from './file-location.js'

export interface SpecOptions {
  /** The folder above which no file is read. Default: that of the spec. */
  readonly specRoot?: string | undefined
}

export interface Spec {
  /** The document as OpenAPI 3. Its positions are those in the files that the author edits. */
  readonly source: Source
  /** The files that were read, as paths. Empty: the spec is from a URL. */
  readonly files: readonly string[]
  /** The format in which it is written, such as `OpenAPI 3.1`. */
  readonly format: string
  /** Warnings about the way it was read. */
  readonly warnings: readonly Problem[]
  /** Tells whether a document has changed since it was read. */
  hasChanged(): Promise<boolean>
}

/** The times that a spec is read again because one of its files has changed meanwhile. */
const maxAttempts = 3

/** @param place - A file. @throws {ProblemsError} It cannot be read. */
export async function readSpec(place: string, options: SpecOptions): Promise<Spec> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const location = openFile(place, options.specRoot)
    const { names, source } = await bundleFiles(location)
    if (await location.hasChanged()) continue
    return { ...toOpenApi3(source), files: names, format: formatOf(source.value), hasChanged: location.hasChanged }
  }
  const what = 'changes while it is read'
  throw new ProblemsError([{ file: place, what, hint: 'start again when its files are complete' }])
}

function toOpenApi3(source: Source): Pick<Spec, 'source' | 'warnings'> {
  return isObject(source.value) && source.value['swagger'] === '2.0' ? convertSwagger(source) : { source, warnings: [] }
}

/** Returns the format of a document, such as `OpenAPI 3.1`. A document without a version is refused when it is linted. */
function formatOf(value: unknown): string {
  const { openapi, swagger } = isObject(value) ? value : {}
  if (typeof swagger === 'string') return `Swagger ${swagger}`
  return `OpenAPI ${typeof openapi === 'string' ? openapi.split('.', 2).join('.') : ''}`
}
