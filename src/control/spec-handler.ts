/** Handles the operation `getSpec`. */
import type { AdminHandler } from './admin-handler-types.js'

/** Returns the current contract, as written or as JSON. */
export const getSpec: AdminHandler = ({ double, parameters }) => {
  const { document, text } = parameters['contract'] === 'control' ? double.control() : double.service().contract
  return parameters['format'] === 'json' ? { body: document } : { body: text, mediaType: 'application/yaml' }
}
