/** The handlers of the control plane. Each operation of `spec/control.yaml` has one; those on health, contracts and pages are here. */
import { readPage, readSummary, referencePolicy } from '../console/pages.js'
import type { Contract } from '../contract/contract.js'
import { contractName } from '../contract/contract.js'
import { createError } from '../http-errors.js'
import { explainResources } from '../resources/explain.js'
import type { AdminHandler } from './admin-handler-types.js'
import { addFault, clearFaults, listFaults, removeFault } from './fault-handlers.js'
import {
  clearRequests,
  getCoverage,
  getRequest,
  listRequestLines,
  listRequests,
  streamEvents,
} from './journal-handlers.js'
import {
  addRecord,
  getRecord,
  getRecordTemplate,
  listCallers,
  listRecords,
  removeRecord,
  replaceRecord,
} from './record-handlers.js'
import { createSandbox, dropSandbox, listSandboxes } from './sandbox-handlers.js'
import { getState, getStateDiff, listFixtures, reset, setState } from './state-handlers.js'

const getHealth: AdminHandler = ({ double }) => ({
  body: {
    status: 'ok',
    version: double.version,
    uptimeMs: Math.round(performance.now() - double.startedAt),
    compiledValidators: double.service().contract.countCompiledValidators(),
  },
})

const getCollections: AdminHandler = ({ double }) => {
  const { resources, userHandlers } = double.service()
  return { body: explainResources(resources, userHandlers?.byOperation) }
}

const getSpec: AdminHandler = ({ double, parameters }) => {
  const contract = parameters.contract === 'control' ? double.control() : double.service().contract
  if (parameters.format === 'json') return { body: contract.document }
  return { body: contract.writeText(), mediaType: 'application/yaml' }
}

/** Returns a page with the name of the contract in place of each `{{name}}`. */
async function serveNamedPage(file: string, contract: Contract): Promise<{ body: string; mediaType: string }> {
  const name = contractName(contract).replaceAll(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`)
  const { body, mediaType } = await servePage(file)
  return { body: body.replaceAll('{{name}}', () => name), mediaType }
}

async function servePage(name: string): Promise<{ body: string; mediaType: string }> {
  const page = await readPage(name)
  if (!page)
    throw createError('unknown_path', { path: `/__admin/assets/${name}`, known: ['/__admin/', '/__admin/docs'] })
  return { body: page.text, mediaType: page.mediaType }
}

export const adminHandlers: ReadonlyMap<string, AdminHandler> = new Map(
  Object.entries<AdminHandler>({
    getHealth,
    getState,
    setState,
    reset,
    getStateDiff,
    listFixtures,
    getCollections,
    listCallers,
    listRecords,
    getRecordTemplate,
    getRecord,
    addRecord,
    replaceRecord,
    removeRecord,
    listRequests,
    listRequestLines,
    clearRequests,
    getRequest,
    getCoverage,
    streamEvents,
    listFaults,
    addFault,
    clearFaults,
    removeFault,
    listSandboxes,
    createSandbox,
    dropSandbox,
    getConsole: ({ double }) => serveNamedPage('index.html', double.service().contract),
    getDocs: async ({ double }) => ({
      ...(await serveNamedPage('docs.html', double.service().contract)),
      headers: { 'content-security-policy': referencePolicy },
    }),
    getSummary: async () => {
      const { mediaType, text } = await readSummary()
      return { body: text, mediaType }
    },
    getAsset: ({ parameters: { file = '' } }) => servePage(file),
    getSpec,
  }),
)
