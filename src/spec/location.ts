/** The place that a user names as the spec: its first document, and those that its references name. */
import type { Problem } from '../documents/problem.js'
import type { Source } from '../documents/source.js'

export interface SpecOptions {
  /** The folder above which no file is read. Default: that of the spec. */
  readonly specRoot?: string | undefined
  /** Header fields for the origin of a URL, as `name: env:VAR`. Default: none. */
  readonly specHeaders?: readonly string[] | undefined
  /** True if kept copies may stand for documents whose host cannot be reached. Only then copies are kept. Default false. */
  readonly isStaleAllowed?: boolean | undefined
}

export interface SpecLocation {
  /** The first document, as the user named it: a file or a URL. */
  readonly entry: string
  /** Returns the name of a document for `read`, or why it must not be read, as the end of a sentence, and the correction. @param reference - The part of a `$ref` before `#`. */
  resolve(from: string, reference: string): { name: string } | { refused: string; hint: string }
  /** Reads a document. @throws {ProblemsError} It cannot be read, or is not JSON or YAML. */
  read(name: string): Promise<Source>
  /** Tells whether a document has changed since it was read. */
  hasChanged(): Promise<boolean>
  /** The documents from URLs. Undefined: all are files. */
  readonly remote?: RemoteSpec | undefined
}

export interface RemoteDocument {
  readonly url: string
  /** Its header fields of these names. */
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly sha256: string
}

/** The documents of a spec from a URL. They grow as documents are read. */
interface RemoteSpec {
  readonly documents: readonly RemoteDocument[]
  /** Kept copies that stand for documents, and copies that could not be kept. */
  readonly warnings: readonly Problem[]
  /** Asks for documents again. Never throws. @param stop - Ends the requests. @returns The same array if none has changed, or none can be read. */
  askAgain(documents: readonly RemoteDocument[], stop: AbortSignal): Promise<readonly RemoteDocument[]>
  /** Keeps copies of the documents for starts without the host. Call it when they have proved to be a valid spec. */
  keep(): Promise<void>
}
