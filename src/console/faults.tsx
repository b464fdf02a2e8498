/** The faults: those that wait for requests, the consumed ones, and the form for a new one; and the variations, each with a switch. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { VariationSummary } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import { ask } from './api.js'
import { FaultForm, sentenceOf } from './fault-form.js'
import { isEnded, refresh, useData } from './live.js'
import { Button, counted, ProblemText, Sign, useAction } from './parts.js'
import { goTo, route, shownRun } from './route.js'

interface FaultsProps {
  readonly contract: Explanation
  readonly callers: readonly string[]
}

export function FaultsView({ callers, contract }: FaultsProps) {
  const run = { run: shownRun.value }
  const { from } = route.value.query
  const { value: active = [] } = useData<readonly Fault[]>('faults')
  const { value: consumed = [] } = useData<readonly Fault[]>('faults?consumed=true')
  const { value: like } = useData<FaultRequest>(
    from === undefined ? undefined : `requests/${encodeURIComponent(from)}?as=fault`,
    { isFixed: true },
  )
  const [draft, fillIn] = useState<{ readonly fault: FaultRequest; readonly count: number }>({ fault: {}, count: 0 })
  // Each count is a new form.
  const setDraft = (fault: FaultRequest): void => fillIn(({ count }) => ({ fault, count: count + 1 }))
  const [error, act] = useAction()
  useEffect(() => {
    // A response that is no failure gives only the requests to affect.
    if (like) setDraft((like.status ?? 500) < 400 ? { ...targetOf(like), status: 500 } : like)
  }, [like])
  const add = async (fault: FaultRequest): Promise<void> => {
    await ask('faults', { ...run, method: 'POST', body: fault })
    setDraft({})
    if (from !== undefined) goTo('faults', {}, true)
    refresh()
  }
  const remove = (id: string) => async (): Promise<void> => {
    await ask(`faults/${encodeURIComponent(id)}`, { ...run, method: 'DELETE' })
    refresh()
  }
  const edit = (fault: Fault) => async (): Promise<void> => {
    if (active.some(({ id }) => id === fault.id)) await remove(fault.id)()
    setDraft(requestOf(fault))
  }
  return (
    <div class="columns">
      <section class="panel" aria-label="Faults">
        <h3 tabIndex={-1}>Active faults</h3>
        {active.length === 0 && <p>No faults. Requests are served normally.</p>}
        <ul class="plain faults">
          {active.map((fault) => (
            <FaultItem key={fault.id} fault={fault}>
              <Button press={() => act(edit(fault))} aria-label={`Edit ${fault.id}`}>
                Edit
              </Button>
              <Button press={() => act(remove(fault.id))} aria-label={`Remove ${fault.id}`}>
                Remove
              </Button>
            </FaultItem>
          ))}
        </ul>
        <h3>Consumed faults</h3>
        {consumed.length === 0 && <p class="quiet">None since the last reset.</p>}
        <ul class="plain faults">
          {consumed.map((fault) => (
            <FaultItem key={fault.id} fault={fault}>
              <Button press={() => act(async () => add(requestOf(fault)))} aria-label={`Repeat ${fault.id}`}>
                Repeat
              </Button>
              <Button press={() => act(edit(fault))} aria-label={`Edit ${fault.id}`}>
                Edit
              </Button>
            </FaultItem>
          ))}
        </ul>
        <Variations />
      </section>
      {!isEnded.value && (
        <section class="panel" aria-label="New fault">
          <h3>New fault</h3>
          <FaultForm
            key={draft.count}
            draft={draft.fault}
            contract={contract}
            callers={callers}
            add={async (fault) => act(async () => add(fault))}
          />
          <ProblemText error={error} />
        </section>
      )}
    </div>
  )
}

const targetOf = ({ match, operation }: FaultRequest): FaultRequest => ({
  ...(operation === undefined ? {} : { operation }),
  ...(match === undefined ? {} : { match }),
})

/** The request that adds a fault again. */
function requestOf({ operation, status, ...fault }: Fault): FaultRequest {
  const isGiven = (name: string, value: unknown): boolean =>
    name === 'body' || (Object.hasOwn(defaults, name) && JSON.stringify(value) !== JSON.stringify(defaults[name]))
  const given = Object.entries(fault).filter(([name, value]) => isGiven(name, value))
  return {
    ...(operation === null ? {} : { operation }),
    ...(status === null ? {} : { status }),
    ...Object.fromEntries(given),
  }
}

const defaults: Readonly<Record<string, unknown>> = {
  match: {},
  skip: 0,
  times: 1,
  delayMs: 0,
  headers: {},
  disconnect: false,
  truncate: false,
  chunkDelayMs: 0,
}

function FaultItem({ children, fault }: { fault: Fault; children: ComponentChildren }) {
  return (
    <li>
      <span>
        <Sign picture="fault" class="warn">
          {fault.id}
        </Sign>{' '}
        {sentenceOf(requestOf(fault))}{' '}
        <span class="quiet">
          Applied {fault.fired} of {fault.times === 'always' ? 'all' : fault.times}
        </span>
      </span>
      {!isEnded.value && <span class="row">{children}</span>}
    </li>
  )
}

/** The variations that were or could be applied to the responses so far. */
function Variations() {
  const { value: units = [] } = useData<readonly VariationSummary[]>('variations')
  const [error, act] = useAction()
  if (units.length === 0) return null
  const turn = (unit: string) => async (): Promise<void> => {
    const on = units.filter((each) => each.on !== (each.unit === unit)).map((each) => each.unit)
    await ask('variations', { run: shownRun.value, method: 'PUT', body: on })
    refresh()
  }
  return (
    <details>
      <summary>Variations of responses, {units.filter(({ on }) => on).length} on</summary>
      <ProblemText error={error} />
      <ul class="plain">
        {units.map(({ applied, line, on, unit }) => (
          <li key={unit}>
            <label>
              <input type="checkbox" checked={on} onChange={() => void act(turn(unit))} /> {unit}{' '}
              <span class="quiet">
                {counted(applied, 'response')}, line {line}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}
