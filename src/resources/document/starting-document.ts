/** The document that a double of any contract can start with, without a fixture. */
import type { SecurityScheme } from '../../contract/security.js'
import type { JsonObject } from '../../documents/object.js'
import type { Resources } from '../resources.js'

/** The caller of the document. */
const callerName = 'demo'

const tokenFor = ({ kind }: SecurityScheme): string => (kind === 'basic' ? `${callerName}:${callerName}` : 'demo-token')

/** Creates a document without records. If an operation reads credentials, it has one caller with a credential for each scheme. */
export function createStartingDocument({ contract }: Resources): JsonObject {
  if (contract.operations.every(({ security }) => security.length === 0)) return {}
  const tokens = Object.fromEntries([...contract.securitySchemes.values()].map((each) => [each.name, tokenFor(each)]))
  const [token, ...others] = new Set(Object.values(tokens))
  return { $callers: { [callerName]: others.length === 0 ? { token } : { tokens } } }
}
