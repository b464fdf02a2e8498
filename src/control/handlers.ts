/** The handlers of the control plane. Each operation of `spec/control.yaml` has one; those on health, contracts and pages are here. */
import { type Contract, contractName } from '../contract/contract.js'
import { createError } from '../http-errors.js'
import { explainResources } from '../resources/explain.js'
import type { AdminHandler } from './admin-handler-types.js'
import { faultHandlers } from './fault-handlers.js'
import { journalHandlers } from './journal-handlers.js'
import { readPage, readSummary, referencePolicy } from './pages.js'
import { recordHandlers } from './record-handlers.js'
import { createReportPage } from './report-page.js'
import { stateHandlers, summarizeSandboxes } from './state-handlers.js'

/** Returns a page with the name of the contract in place of each `{{name}}`. */
async function serveNamedPage(file: string, contract: Contract) {
  const name = contractName(contract).replaceAll(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`)
  const { body, mediaType } = await servePage(file)
  return { body: body.replaceAll('{{name}}', () => name), mediaType }
}

async function servePage(name: string) {
  const page = await readPage(name)
  if (!page)
    throw createError('unknown_path', { path: `/__admin/assets/${name}`, known: ['/__admin/', '/__admin/docs'] })
  return page
}

export const adminHandlers: ReadonlyMap<string, AdminHandler> = new Map(
  Object.entries<AdminHandler>({
    ...faultHandlers,
    ...journalHandlers,
    ...recordHandlers,
    ...stateHandlers,
    getHealth: ({ double }) => ({
      body: {
        status: 'ok',
        version: double.version,
        uptimeMs: Math.round(performance.now() - double.startedAt),
        compiledValidators: double.service().contract.countCompiledValidators(),
      },
    }),
    getCollections: ({ double }) => ({ body: explainResources(double.service()) }),
    getSuggestedOverlay: async ({ double }) => {
      // It writes YAML, which takes long to load.
      const { suggestOverlay } = await import('../resources/suggest-joins.js')
      const text = await suggestOverlay(double.service())
      const none = '# No x-double is known that makes more operations stateful.\n'
      return { body: text ?? none, mediaType: 'application/yaml' }
    },
    getConsole: ({ double }) => serveNamedPage('index.html', double.service().contract),
    getReport: async ({ double, origin }) => {
      const { body, mediaType } = await serveNamedPage('index.html', double.service().contract)
      const text = await createReportPage(body, double, summarizeSandboxes(double, origin))
      return { body: text, mediaType, headers: { 'content-disposition': 'attachment; filename="run.html"' } }
    },
    getDocs: async ({ double }) => ({
      ...(await serveNamedPage('docs.html', double.service().contract)),
      headers: { 'content-security-policy': referencePolicy },
    }),
    getSummary: readSummary,
    getAsset: ({ parameters: { file = '' } }) => servePage(file),
    getSpec: ({ double, parameters }) => {
      const contract = parameters.contract === 'control' ? double.control() : double.service().contract
      if (parameters.format === 'json') return { body: contract.document }
      return { body: contract.writeText(), mediaType: 'application/yaml' }
    },
  }),
)
