/** The place that a user names as the spec: its first document, and those that its references name. */
import type { Source } from '../documents/source.js'

export interface SpecLocation {
  /** The first document, as the user named it: a file or a URL. */
  readonly entry: string
  /**
   * Returns the name of a document for `read`.
   *
   * @param from - The document with the reference. @param reference - The part of a `$ref` before `#`.
   * @returns Or the reason why it must not be read, as the end of a sentence, and the correction.
   */
  resolve(
    from: string,
    reference: string,
  ): { readonly name: string } | { readonly refused: string; readonly hint: string }
  /** Reads a document. @throws {ProblemsError} It cannot be read, or is not JSON or YAML. */
  read(name: string): Promise<Source>
  /** Tells whether a document has changed since it was read. */
  hasChanged(): Promise<boolean>
}
