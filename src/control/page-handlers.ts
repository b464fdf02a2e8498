/** Handles the operations that return the files of the console and of the API reference. */
import { readPage } from '../console/pages.js'
import type { Contract } from '../contract/contract.js'
import { doubleName } from '../contract/contract.js'
import { createError } from '../http-errors.js'
import type { AdminHandler } from './admin-handler-types.js'

/** Returns the console. */
export const getConsole: AdminHandler = ({ double }) => serveNamedPage('index.html', double.service().contract)

/** Returns the API reference. */
export const getDocs: AdminHandler = ({ double }) => serveNamedPage('docs.html', double.service().contract)

/** Returns a script, stylesheet or image of the pages. */
export const getAsset: AdminHandler = ({ parameters }) => servePage(String(parameters['file']))

/** Returns a page with the name of the double in place of each `{{name}}`. */
async function serveNamedPage(file: string, contract: Contract): Promise<{ body: string; mediaType: string }> {
  const name = doubleName(contract).replaceAll(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`)
  const { body, mediaType } = await servePage(file)
  return { body: body.replaceAll('{{name}}', () => name), mediaType }
}

async function servePage(name: string): Promise<{ body: string; mediaType: string }> {
  const page = await readPage(name)
  if (!page)
    throw createError('unknown_path', { path: `/__admin/assets/${name}`, known: ['/__admin/', '/__admin/docs'] })
  return { body: page.text, mediaType: page.mediaType }
}
