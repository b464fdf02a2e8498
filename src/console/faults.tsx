/** The faults: those that wait for requests, the past ones, and the form for a new one. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { VariationSummary } from '../control/document-types.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import { FaultForm, sentenceOf } from './fault-form.js'
import { change, isEnded, useData } from './live.js'
import { Button, Sign, type ViewProps } from './parts.js'
import { goTo, linkTo, route } from './route.js'

interface Draft {
  readonly fault: FaultRequest
  readonly count: number
  /** The active fault that it replaces. */
  readonly replaces?: string | undefined
}

export function FaultsView({ callers, contract }: ViewProps) {
  const { from } = route.value.query
  const { value: active = [] } = useData<readonly Fault[]>('faults')
  const { value: consumed = [] } = useData<readonly Fault[]>('faults?consumed=true')
  const { value: like } = useData<FaultRequest>(
    from === undefined ? undefined : `requests/${encodeURIComponent(from)}?as=fault`,
    { isFixed: true },
  )
  // Each count is a new form.
  const [draft, fillIn] = useState<Draft>({ fault: {}, count: 0 })
  const setDraft = (fault: FaultRequest, replaces?: string): void =>
    fillIn(({ count }) => ({ fault, count: count + 1, replaces }))
  useEffect(() => {
    // A response that is no failure gives only the requests to affect.
    if (like) setDraft((like.status ?? 500) < 400 ? { ...like, ...failure } : like)
  }, [like])
  const add = async (fault: FaultRequest): Promise<void> => {
    await change('POST', 'faults', fault)
    if (active.some(({ id }) => id === draft.replaces)) await remove(draft.replaces ?? '')
    setDraft({})
    if (from !== undefined) goTo(linkTo('faults'), true)
  }
  const remove = (id: string): Promise<void> => change('DELETE', `faults/${encodeURIComponent(id)}`)
  return (
    <div class="columns">
      <section class="panel" aria-label="Faults">
        <h3>Active faults</h3>
        {active.length === 0 && <p>No faults. Requests are served normally.</p>}
        <ul class="plain list">
          {active.map((fault) => (
            <FaultItem key={fault.id} fault={fault}>
              <Button label="Edit" of={fault.id} press={() => setDraft(requestOf(fault), fault.id)} />
              <Button label="Remove" of={fault.id} press={() => remove(fault.id)} />
            </FaultItem>
          ))}
        </ul>
        <h3>Past faults</h3>
        {consumed.length === 0 && <p class="quiet">None since the last reset.</p>}
        <ul class="plain list">
          {consumed.map((fault) => (
            <FaultItem key={fault.id} fault={fault} isPast>
              <Button label="Repeat" of={fault.id} press={() => add(requestOf(fault))} />
              <Button label="Edit" of={fault.id} press={() => setDraft(requestOf(fault))} />
            </FaultItem>
          ))}
        </ul>
        <Variations />
      </section>
      {!isEnded.value && (
        <section class="panel" aria-label="New fault">
          <h3>{draft.replaces === undefined ? 'New fault' : `Instead of ${draft.replaces}`}</h3>
          <FaultForm key={draft.count} draft={draft.fault} contract={contract} callers={callers} add={add} />
        </section>
      )}
    </div>
  )
}

/** The properties that turn a response into a failure. */
const failure = { status: 500, headers: {}, body: undefined }

/** The request that adds a fault again. */
function requestOf(fault: Fault): FaultRequest {
  const { fired: _, id: _id, operation, status, ...others } = fault
  return {
    ...others,
    ...(operation === null ? {} : { operation }),
    ...(status === null ? {} : { status }),
  }
}

function FaultItem({ children, fault, isPast }: { fault: Fault; isPast?: boolean; children: ComponentChildren }) {
  const { fired, id, times } = fault
  const isCutShort = isPast && (times === 'always' || fired < times)
  return (
    <li class="row apart">
      <div>
        <Sign kind="fault">{id}</Sign> {sentenceOf(requestOf(fault))}{' '}
        <span class="quiet">
          {`Applied ${fired} of ${times === 'always' ? 'all' : times}${isCutShort ? ', then removed' : ''}`}
        </span>
      </div>
      {!isEnded.value && <div class="row">{children}</div>}
    </li>
  )
}

/** The variations that were and could be applied to responses, each with its switch. */
function Variations() {
  const { value: units = [] } = useData<readonly VariationSummary[]>('variations')
  const turn = (unit: string): Promise<void> => {
    const on = units.flatMap((each) => (each.on === (each.unit === unit) ? [] : each.unit))
    return change('PUT', 'variations', on)
  }
  if (units.length === 0) return null
  return (
    <details>
      <summary>{`Variations of responses, ${units.filter(({ on }) => on).length} on`}</summary>
      <ul class="plain list">
        {units.map(({ applied, line, on, unit }) => (
          <li key={unit} class="row apart">
            <span>
              {unit} <span class="quiet">{`varied ${applied} responses, line ${line}`}</span>
            </span>
            {!isEnded.value && <Button label="Vary" of={unit} aria-pressed={on} press={() => turn(unit)} />}
          </li>
        ))}
      </ul>
    </details>
  )
}
