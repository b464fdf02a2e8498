/** The files of the console and the API reference. They are served unchanged. */
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'

/** A file as it is served. */
export interface PageFile {
  readonly text: string
  readonly mediaType: string
}

const folder = new URL('../../src/console/pages/', import.meta.url)

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads a page.
 *
 * @param name - Looked up in the listing of the folder. It never becomes part of a path.
 * @returns Undefined where there is none.
 */
export async function readPage(name: string): Promise<PageFile | undefined> {
  const mediaType = mediaTypes[extname(name)]
  if (mediaType === undefined || !(await readdir(folder)).includes(name)) return undefined
  return { text: await readFile(new URL(name, folder), 'utf8'), mediaType }
}
