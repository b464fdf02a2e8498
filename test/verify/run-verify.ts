/** Runs `verify` in this process, as the command does. */
import { join } from 'node:path'

import type { RealCaller } from '#src/pull/pull.js'
import { ServiceClient } from '#src/pull/service-client.js'
import { loadService } from '#src/resources/load-service.js'
import type { VerifyReport } from '#src/verify/create-report.js'
import { createReportAndEdits } from '#src/verify/create-report.js'
import type { Edit } from '#src/verify/edits.js'
import type { VerifyOptions } from '#src/verify/verify.js'
import { verifyService } from '#src/verify/verify.js'

import { packageFolder } from '../helpers/package-folder.js'
import { tokens } from './insights-service.js'

/** The callers of the service. */
export const callers: readonly RealCaller[] = Object.entries(tokens).map(([name, token]) => ({
  name,
  token,
  variable: `${name.toUpperCase()}_TOKEN`,
}))

export interface Verifying extends Partial<Pick<VerifyOptions, 'callers' | 'may' | 'maxRequests' | 'nonce' | 'only'>> {
  /** Default: the spec of the package. */
  readonly spec?: string
  readonly overlay?: string
  /** Time for each response, milliseconds. Default 60000. */
  readonly timeoutMs?: number
}

/** The report of a run, and the edits that it proposes. */
export interface Verified {
  readonly report: VerifyReport
  readonly edits: readonly Edit[]
}

/** Verifies the service at a URL, as ada and grace unless other callers are given. */
export async function verify(
  url: string,
  { overlay, spec, timeoutMs = 60_000, ...options }: Verifying = {},
): Promise<Verified> {
  const service = await loadService(spec ?? join(packageFolder, 'spec/insights.yaml'), { overlay })
  const as = options.callers ?? callers
  const client = new ServiceClient({ url, secrets: as.map(({ token }) => token), timeoutMs })
  const verification = await verifyService({ ...options, service, overlay, client, callers: as })
  return createReportAndEdits(verification, { callers: as, headers: new Map() }, client.redact)
}

/** Returns the names of the probes that differ. */
export const differing = ({ report }: Verified): readonly string[] =>
  report.probes.filter(({ outcome }) => outcome === 'differs').map(({ name }) => name)
