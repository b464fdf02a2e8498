/** Finds the largest value that a service accepts for a parameter whose documented maximum it refuses. */
import { RunError } from '../pull/run-error.js'
import type { ProbeResult } from './evaluate-probes.js'
import type { ComparedService } from './run-probes.js'
import { toRequest } from './run-probes.js'

/** Finds the maxima by binary search, with at most 53 requests for each parameter. Sends only safe requests. */
export async function findLowerMaxima(
  results: readonly ProbeResult[],
  service: ComparedService,
): Promise<ReadonlyMap<string, number>> {
  const maxima = new Map<string, number>()
  for (const { differences, probe } of results) {
    const found = differences.find(({ at, part }) => part === 'status' && at.step.parameter?.case === 'at-maximum')
    if (
      service.client.isEnded ||
      !found?.at.step.parameter ||
      'failure' in found.at.service ||
      found.at.service.status < 400
    )
      continue
    const { step } = found.at
    const { name, value } = found.at.step.parameter
    const isAccepted = async (text: number): Promise<boolean> => {
      const target = step.target.replace(`${encodeURIComponent(name)}=${value}`, `${encodeURIComponent(name)}=${text}`)
      const exchange = await service.client.send(toRequest({ ...step, target }, service))
      return !('failure' in exchange) && exchange.status < 300
    }
    try {
      let least = 1
      let most = Number(value)
      if (!(await isAccepted(least))) continue
      while (most - least > 1) {
        const middle = Math.floor((least + most) / 2)
        if (await isAccepted(middle)) least = middle
        else most = middle
      }
      maxima.set(probe.name, least)
    } catch (error) {
      // The service ended the run, so the bound is not known.
      if (!(error instanceof RunError)) throw error
    }
  }
  return maxima
}
