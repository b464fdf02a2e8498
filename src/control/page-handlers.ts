/** Handles the operations that return the files of the console and of the API reference. */
import { readPage } from '../console/pages.js'
import { createError } from '../http-errors.js'
import type { AdminHandler } from './admin-handler-types.js'

/** Returns the console. */
export const getConsole: AdminHandler = () => servePage('index.html')

/** Returns the API reference. */
export const getDocs: AdminHandler = () => servePage('docs.html')

/** Returns a script, stylesheet or image of the pages. */
export const getAsset: AdminHandler = ({ parameters }) => servePage(String(parameters['file']))

async function servePage(name: string): Promise<{ body: string; mediaType: string }> {
  const page = await readPage(name)
  if (!page)
    throw createError('unknown_path', { path: `/__admin/assets/${name}`, known: ['/__admin/', '/__admin/docs'] })
  return { body: page.text, mediaType: page.mediaType }
}
