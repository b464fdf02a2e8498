import type { Operation } from '../contract/contract.js'
import type { JournalEntry } from '../index.js'
import type { Verification } from './verify.js'

type Found = NonNullable<JournalEntry['evidence']>

/**
 * Creates a function that finds what a response rests on: the answers of the double to the requests of evidence, of the same operation and with
 * the same status. Those to an equal query count first, and all must agree; then those with parameters of the same names, and one must agree.
 */
export function createEvidenceOf({
  results,
}: Verification): (operation: Operation, status: number, target: string) => Found {
  const seen = new Map<string, Found>()
  for (const { differences, outcome, steps } of results) {
    if (outcome === 'could not check') continue
    const differing = new Set(differences.map(({ at }) => at.step))
    for (const { double, service, step } of steps) {
      if (!step.probed || 'failure' in double || 'failure' in service) continue
      const { query, shape } = keysOf(step.probed.operation, double.status, step.target)
      const evidence = differing.has(step) ? 'differs' : 'agrees'
      if (seen.get(query) !== 'differs') seen.set(query, evidence)
      if (seen.get(shape) !== 'agrees') seen.set(shape, evidence)
    }
  }
  return (operation, status, target) => {
    const { query, shape } = keysOf(operation, status, target)
    // Without a query, requests differ in other parts.
    return (query.endsWith('?') ? undefined : seen.get(query)) ?? seen.get(shape) ?? 'none'
  }
}

function keysOf({ credentialPlaces, id }: Operation, status: number, target: string) {
  const query = new URLSearchParams(target.split('?')[1])
  for (const { name } of credentialPlaces) query.delete(name)
  query.sort()
  return { query: `${id} ${status}?${query.toString()}`, shape: `${id} ${status} ${[...query.keys()].join('&')}` }
}
