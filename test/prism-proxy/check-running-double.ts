/** Checks the responses of a running double with a proxy in front of it. */
import fc from 'fast-check'
import type { DoubleHandle } from 'insights-double'

import { asList, asObject } from '../helpers/as-object-or-list.js'
import { readSpec } from '../helpers/files.js'
import { as } from '../helpers/http.js'
import { type Call, type Checking, type Findings, send } from './findings.js'
import { calls, examples, limits } from './requests.js'

export interface Live {
  readonly findings: Findings
  readonly proxy: Checking
  /** The double behind the proxy. */
  readonly double: DoubleHandle
  /** The number of generated requests. */
  readonly requests: number
  readonly seed: number
}

/** Sends requests to every operation for every documented status, lists of every caller of every fixture, and generated requests. */
export async function checkRunningDouble({ double, findings, proxy, requests, seed }: Live): Promise<void> {
  const alone = async (call: Call): Promise<number> => (await send(double.url, call)).status
  await double.reset('default')
  for (const call of examples) await findings.through(proxy, 'examples', call, () => alone(call))
  const operations = Object.values(asObject((await readSpec())['paths'])).flatMap((item) =>
    Object.values(asObject(item)),
  )
  for (const { operationId, responses } of operations.map(asObject))
    for (const status of Object.keys(asObject(responses))) {
      const operation = String(operationId)
      await double.reset('default')
      if (Number(status) >= 400) await double.addFault({ operation, status: Number(status) })
      const isListing = operation === 'listInsights'
      const path = isListing ? '/insights' : '/insights/monstera-watering'
      const call: Call = { method: isListing ? 'GET' : 'DELETE', path, headers: as('ada') }
      const answer = await findings.through(proxy, 'documented statuses', call, () => alone(call))
      if (answer?.status !== Number(status)) findings.wrong.push(`${operation} ${status}: got ${answer?.status}`)
    }

  for (const { name } of await double.fixtures()) {
    await double.reset(name)
    for (const caller of Object.keys((await double.state()).$callers ?? {}))
      for (const limit of limits) {
        const call: Call = { method: 'GET', path: `/insights${limit}`, headers: as(caller) }
        const answer = await findings.through(proxy, 'fixtures × callers × limits', call, () => alone(call))
        const direct = await send(double.url, call)
        if (answer?.text !== direct.text)
          findings.wrong.push(`${name}, ${caller}${limit}: the proxy passes on another response`)
        if (answer?.status === 200) asList(JSON.parse(answer.text))
        else findings.wrong.push(`${name}, ${caller}${limit}: ${answer?.status}`)
      }
  }
  await double.reset('many')
  const ids = asList((await double.state())['insights']).map((each) => String(asObject(each)['id']))
  for (const call of fc.sample(calls(ids), { numRuns: requests, seed }))
    await findings.through(proxy, 'generated', call, () => alone(call))
}
