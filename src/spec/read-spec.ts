/** Reads the spec that a user names, as one OpenAPI 3 document that knows the file and line of each value. */
import { isUrl } from '../addresses.js'
import { isObject } from '../documents/object.js'
import { type Problem, ProblemsError } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { openFile } from './file-location.js'
import { findSpec } from './find-spec.js'
import type { RemoteSpec, SpecLocation, SpecOptions } from './location.js'

export interface Spec {
  /** The document as OpenAPI 3. Its positions are those in the files that the author edits. */
  readonly source: Source
  /** The files that were read, as paths. Empty: the spec is from a URL. */
  readonly files: readonly string[]
  /** The format in which it is written, such as `OpenAPI 3.1`. */
  readonly format: string
  /** The parts that the conversion to OpenAPI 3 cannot keep. */
  readonly diagnostics: readonly Problem[]
  /** Warnings about the way it was read. */
  readonly warnings: readonly Problem[]
  /** Undefined: the spec is not from a URL. */
  readonly remote: RemoteSpec | undefined
  /** Tells whether a document has changed since it was read. */
  hasChanged(): Promise<boolean>
}

/** The times that a spec is read again because one of its files has changed meanwhile. */
const maxAttempts = 3

/** @param place - A file, a folder or a URL. @throws {ProblemsError} It cannot be read. @throws {TypeError} A header is not valid, or is given for a file. */
export async function readSpec(place: string, options: SpecOptions): Promise<Spec> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const location = await open(place, options)
    const first = await location.read(location.entry)
    // Code that most specs do not need is loaded on use.
    const { names, source } = refersToOthers(first.value)
      ? await (await import('./bundle-files.js')).bundleFiles(location, first)
      : { names: [location.entry], source: first }
    const spec = await toOpenApi3(source)
    const { remote } = location
    if (remote) return { ...spec, files: [], warnings: remote.warnings, remote, hasChanged: location.hasChanged }
    if (!(await location.hasChanged())) return { ...spec, files: names, hasChanged: location.hasChanged }
  }
  const what = 'changes while it is read'
  throw new ProblemsError([{ file: place, what, hint: 'start again when its files are complete' }])
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
    remote: undefined,
    hasChanged: async () => false,
  }
}
