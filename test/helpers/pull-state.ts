/** Pulls the state of a service in the thread of a test. */
import { join } from 'node:path'

import type { PulledState } from '#src/pull/pull.js'
import { pullState } from '#src/pull/pull.js'
import { ServiceClient } from '#src/pull/service-client.js'
import { loadService } from '#src/resources/load-service.js'

import { tokens } from '../verify/insights-service.js'
import { packageFolder } from './package-folder.js'

/** The contract of the package. */
export const spec = join(packageFolder, 'spec/insights.yaml')
/** The callers of the service that the tests serve. */
export const callers = Object.entries(tokens).map(([name, token]) => ({
  name,
  token,
  variable: `${name.toUpperCase()}_TOKEN`,
}))

/** Pulls the state of a service. */
export async function pull(url: string, file = spec, as = callers): Promise<PulledState> {
  const service = await loadService(file)
  const client = new ServiceClient({ url, secrets: as.map(({ token }) => token), timeoutMs: 60_000 })
  return pullState({ service, client, callers: as })
}
