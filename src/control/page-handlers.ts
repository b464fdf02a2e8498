/** What people look at: the console, the API reference, and the contracts. Nothing here has a state. */
import { readPage } from '../console/pages.js'
import { createError } from '../errors.js'
import type { AdminHandler } from './admin-context.js'

/** That the double serves, and since when. Before every check is warm, there is nobody to ask. */
export const getHealth: AdminHandler = ({ double }) => ({
  body: { status: 'ok', version: double.version, uptimeMs: Math.round(performance.now() - double.startedAt) },
})

/** A contract, as it is used now: as it was written, or as JSON. */
export const getSpec: AdminHandler = ({ double, parameters }) => {
  const { document, text } = parameters['contract'] === 'control' ? double.control() : double.service().contract
  return parameters['format'] === 'json' ? { body: document } : { body: text, mediaType: 'application/yaml' }
}

/** The console. */
export const getConsole: AdminHandler = () => page('index.html')

/** The API reference. */
export const getDocs: AdminHandler = () => page('docs.html')

/** What the pages are made of. */
export const getAsset: AdminHandler = ({ parameters }) => page(String(parameters['file']))

async function page(name: string): Promise<{ body: string; mediaType: string }> {
  const found = await readPage(name)
  if (!found)
    throw createError('unknown_path', { path: `/__admin/assets/${name}`, known: ['/__admin/', '/__admin/docs'] })
  return { body: found.text, mediaType: found.mediaType }
}
