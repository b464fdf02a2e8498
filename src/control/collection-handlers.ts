/** What the double does with each operation of the contract. */
import { explainResources } from '../resources/explain.js'
import type { AdminHandler } from './admin-context.js'

/** The collections, and each operation with its role. */
export const getCollections: AdminHandler = ({ double }) => ({ body: explainResources(double.service().resources) })
