/** Handles the operation `getCollections`. */
import { explainResources } from '../resources/explain.js'
import type { AdminHandler } from './admin-handler-types.js'

/** Returns the collections, and each operation with its role. */
export const getCollections: AdminHandler = ({ double }) => {
  const { resources, userHandlers } = double.service()
  return { body: explainResources(resources, userHandlers?.byOperation) }
}
