/** Lists the handlers of the control plane. Each operation of `spec/control.yaml` has one. */
import type { AdminHandler } from './admin-handler-types.js'
import { getCollections } from './explain-resources-handler.js'
import { addFault, clearFaults, listFaults, removeFault } from './fault-handlers.js'
import { getHealth } from './health-handler.js'
import { clearRequests, getCoverage, getRequest, listRequests, streamEvents } from './journal-handlers.js'
import { getAsset, getConsole, getDocs } from './page-handlers.js'
import {
  addRecord,
  getRecord,
  getRecordTemplate,
  listCallers,
  listRecords,
  removeRecord,
  replaceRecord,
} from './record-handlers.js'
import { listRequestLines } from './request-lines-handler.js'
import { createSandbox, dropSandbox, listSandboxes } from './sandbox-handlers.js'
import { getSpec } from './spec-handler.js'
import { getState, getStateDiff, listFixtures, reset, setState } from './state-handlers.js'

/** The handlers of the control plane, by operationId. */
export const adminHandlers: ReadonlyMap<string, AdminHandler> = new Map(
  Object.entries({
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
    getConsole,
    getDocs,
    getAsset,
    getSpec,
  }),
)
