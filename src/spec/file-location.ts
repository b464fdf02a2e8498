/** A spec in files: its references may name files in its folder and below. */
import { readSource } from '../documents/source.js'
import type { SpecLocation, SpecOptions } from './location.js'

export async function openFile(file: string, _options: SpecOptions): Promise<SpecLocation> {
  return {
    entry: file,
    resolve: () => ({ refused: 'is not read yet' }),
    read: readSource,
  }
}
