/** The files of the console and the API reference. They are served as `rolldown.config.js` writes them. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

import { pagesFolder, summaryFile } from '../package-files.js'

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Allows scripts, styles, images and data from the page's own origin only, and no form and no frame. */
export const consolePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The Content-Security-Policy of the API reference. RapiDoc writes styles into its elements, and shows images of contracts and responses. */
export const referencePolicy = consolePolicy
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .replace("img-src 'self'", "img-src 'self' data: blob:")

/** Reads a file of the pages, if there is one. @param name - It must be in the listing of the folder. */
export async function readPage(name: string) {
  const mediaType = mediaTypes[extname(name)]
  if (mediaType === undefined || !(await readdir(pagesFolder)).includes(name)) return undefined
  return { body: await readFile(join(pagesFolder, name), 'utf8'), mediaType }
}

export const readSummary = async () => ({
  body: await readFile(summaryFile, 'utf8'),
  mediaType: 'text/markdown; charset=utf-8',
})
