/** The faults: those that wait for requests, the past ones, and the form for a new one with a sentence that previews it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { VariationSummary } from '../control/document-types.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import { jsonFrom, RefusedError } from './api.js'
import { Button, Field, focus, Form } from './controls.js'
import { change, isEnded, useData } from './live.js'
import { goTo, linkTo, route, type ViewProps } from './route.js'
import { counted, Sign, sortedOnce } from './texts.js'

/** What the form begins with. Each count is a new form. `old` is the fault to replace, while it is active. */
type Draft = { readonly fault: FaultRequest; readonly count: number; readonly old?: string | undefined }

export function FaultsView(props: ViewProps) {
  const { from } = route.value.query
  const { value: active = [] } = useData<readonly Fault[]>('faults')
  const { value: consumed = [] } = useData<readonly Fault[]>('faults?consumed=true')
  const pathOfLike = from ? `requests/${encodeURIComponent(from)}?as=fault` : undefined
  const { value: like } = useData<FaultRequest>(pathOfLike, { isFixed: true })
  const [draft, fillIn] = useState<Draft>({ fault: {}, count: 0 })
  const replaces = active.find(({ id }) => id === draft.old)?.id
  const setDraft = (fault: FaultRequest, old?: string) => fillIn(({ count }) => ({ fault, count: count + 1, old }))
  useEffect(() => {
    // A response that is no failure gives only the requests to affect.
    if (like) setDraft((like.status ?? 500) < 400 ? { ...like, status: 500, headers: {}, body: undefined } : like)
  }, [like])
  const remove = (id: string) => change('DELETE', `faults/${encodeURIComponent(id)}`).then(() => `Removed ${id}.`)
  const add = async (fault: FaultRequest, old?: string): Promise<string> => {
    const { id } = await change<Fault>('POST', 'faults', fault)
    if (old !== undefined) await remove(old)
    setDraft({})
    if (from !== undefined) goTo(linkTo('faults'), true)
    return old === undefined ? `Added ${id}.` : `Replaced ${old} by ${id}.`
  }
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
      </section>
      {!isEnded.value && (
        <section class="panel" aria-label="New fault">
          {/* The form is on another part of the page than the button that filled it in. */}
          <h3 key={draft.count} ref={Object.keys(draft.fault).length > 0 ? focus : null} tabIndex={-1}>
            {replaces === undefined ? 'New fault' : `Instead of ${replaces}`}
          </h3>
          <FaultForm
            key={draft.count}
            draft={draft.fault}
            {...props}
            add={(fault) => add(fault, replaces)}
            button={replaces === undefined ? 'Add fault' : 'Replace'}
            others={replaces !== undefined && <Button label="Cancel" press={() => setDraft({})} />}
          />
        </section>
      )}
      <section class="panel" aria-label="Past faults">
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
    </div>
  )
}

/** The request that adds a fault again. */
function requestOf(fault: Fault): FaultRequest {
  const { fired: _, id: _id, operation, status, ...others } = fault
  return { ...others, ...(operation !== null && { operation }), ...(status !== null && { status }) }
}

function FaultItem({ children, fault, isPast }: { fault: Fault; isPast?: boolean; children: ComponentChildren }) {
  const { fired, id, times } = fault
  const isCutShort = isPast && (times === 'always' || fired < times)
  return (
    <li class="row apart">
      <div>
        <Sign kind="fault">{id}</Sign> {sentenceOf(requestOf(fault))}{' '}
        <a class="quiet" {...(fired > 0 && { href: linkTo('requests', { q: id }) })}>
          {`Applied ${fired} of ${times === 'always' ? 'all' : times}${isCutShort ? ', then removed' : ''}`}
        </a>
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

/** Describes a fault: which requests get what. */
function sentenceOf(fault: FaultRequest): string {
  const { body, chunkDelayMs = 0, delayMs = 0, disconnect, headers = {}, match = {}, operation } = fault
  const { skip = 0, status, times = 1, truncate } = fault
  const which = { always: 'All requests', 1: 'The next request' }[times] ?? `The next ${times} requests`
  const parameters = Object.entries(match.parameters ?? {}).map(([name, value]) => `${name}=${String(value)}`)
  const fields = Object.entries(headers).map(
    ([name, value]) => `${name.replaceAll(/\b[a-z]/gu, (letter) => letter.toUpperCase())}: ${value}`,
  )
  const usual = body === undefined ? 'the usual response' : 'the status of a success'
  return [
    skip > 0 && `After ${counted(skip, 'usual response')}, `,
    skip > 0 ? which.toLowerCase() : which,
    operation !== undefined && ` of ${operation}`,
    match.caller !== undefined && ` by ${match.caller}`,
    parameters.length > 0 && ` with ${parameters.join(' and ')}`,
    times === 1 ? ' gets ' : ' get ',
    disconnect ? 'no response, and the connection is closed' : status === undefined ? usual : `status ${status}`,
    fields.length > 0 && ` with the header${fields.length > 1 ? 's' : ''} ${fields.join(' and ')}`,
    body !== undefined && ', with the body of the fault',
    truncate && ', and only half of the body',
    chunkDelayMs > 0 && `, in parts, each after ${chunkDelayMs} ms`,
    delayMs > 0 && `, after ${delayMs} ms`,
    '.',
  ]
    .filter(Boolean)
    .join('')
}

/** The effects of a fault on the response. */
const effects = ['send a status', 'only delay', 'close the connection', 'send half of the body', 'send the body slowly']
const [sends, delays, closes, halves, slows] = effects

function effectOf({ body, chunkDelayMs, delayMs, disconnect, status, truncate }: FaultRequest): string | undefined {
  if (disconnect) return closes
  if (truncate) return halves
  if (chunkDelayMs) return slows
  return delayMs && status === undefined && body === undefined ? delays : sends
}

/** The texts of the fields by name. Those of parameters begin with `parameter `. */
type Texts = Readonly<Record<string, string | undefined>>

function textsOf(fault: FaultRequest): Texts {
  const { body, headers = {}, match = {}, ...others } = fault
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const parameters = Object.entries(match.parameters ?? {})
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
    caller: match.caller,
    effect: effectOf(fault),
    headers: lines.join('\n'),
    body: body === undefined ? undefined : JSON.stringify(body, null, 2),
    ...Object.fromEntries(parameters.map(([name, value]) => [`parameter ${name}`, String(value)])),
  }
}

type FormProps = Pick<Parameters<typeof Form>[0], 'button' | 'others'> &
  ViewProps & { draft: FaultRequest; add: (fault: FaultRequest) => Promise<string> }

function FaultForm({ add, callers, contract, draft, ...form }: FormProps) {
  const [texts, setTexts] = useState(textsOf(draft))
  const { value: coverage = [] } = useData<readonly CoverageRow[]>('coverage')
  const fieldOf = (name: string) => ({
    name,
    value: texts[name] ?? '',
    set: (value: string) => setTexts({ ...texts, [name]: value }),
  })
  const { effect, operation: named = '' } = texts
  const documented = coverage.filter((row) => row.documented && (named === '' || row.operation === named))
  const statuses = sortedOnce(documented.map(({ status }) => status.replace('default', '500').replace('XX', '00')))
  const operations = contract.operations.map(({ operation }) => operation)
  const parameters = contract.operations.find(({ operation }) => operation === named)?.parameters ?? []
  return (
    <Form {...form} action={() => add(faultIn(texts))}>
      <div class="fields">
        <Field label="Operation" none="every operation" options={operations} {...fieldOf('operation')} />
        <Field label="Caller" none="every caller" options={callers} {...fieldOf('caller')} />
        <Field label="Effect" options={effects} {...fieldOf('effect')} />
        {effect === sends && (
          <Field label="Status, 200 to 599" placeholder="500" suggestions={statuses} {...fieldOf('status')} />
        )}
        {effect === slows && <Field label="Delay of each part, ms" placeholder="100" {...fieldOf('chunkDelayMs')} />}
        <Field label="Delay, ms" placeholder="0" {...fieldOf('delayMs')} />
        <Field label="Times, a number or always" placeholder="1" {...fieldOf('times')} />
        <Field label="Requests to serve normally first" placeholder="0" {...fieldOf('skip')} />
        {parameters.map(({ in: place, name }) => (
          <Field key={name} label={`If the ${place} parameter ${name} is`} {...fieldOf(`parameter ${name}`)} />
        ))}
      </div>
      {effect === sends && (
        <>
          <Field label="Headers, one on each line" rows={2} {...fieldOf('headers')} />
          <Field label="Body, JSON. Empty: one that the contract allows" rows={4} {...fieldOf('body')} />
        </>
      )}
      <p class="quiet" role="status">
        {preview(texts)}
      </p>
    </Form>
  )
}

function preview(texts: Texts): string {
  try {
    return sentenceOf(faultIn(texts))
  } catch {
    return ''
  }
}

/** Reads the form. Sends a text that is not a number as it is, because the double refuses it with a message. @throws {RefusedError} The headers or the body cannot be read. */
function faultIn(texts: Texts): FaultRequest {
  const { effect } = texts
  const text = (name: string): string | undefined => texts[name]?.trim() || undefined
  const number = (name: string): number | string | undefined => numberOr(text(name))
  const parameters = Object.entries(texts).flatMap(([name, value]) =>
    name.startsWith('parameter ') && value ? [[name.slice('parameter '.length), numberOr(value)] as const] : [],
  )
  const bodyText = effect === sends ? text('body') : undefined
  const body = bodyText === undefined ? undefined : jsonFrom(bodyText, 'The body')
  const fault = {
    operation: text('operation'),
    match: { caller: text('caller'), parameters: Object.fromEntries(parameters) },
    status: effect === sends ? (number('status') ?? (body === undefined ? 500 : undefined)) : undefined,
    headers: effect === sends ? headersIn(text('headers')) : undefined,
    body,
    disconnect: effect === closes || undefined,
    truncate: effect === halves || undefined,
    chunkDelayMs: effect === slows ? (number('chunkDelayMs') ?? 100) : undefined,
    delayMs: number('delayMs'),
    times: number('times'),
    skip: number('skip'),
  }
  // JSON has no undefined values. The double checks the types.
  return JSON.parse(JSON.stringify(fault)) as FaultRequest
}

const numberOr = (text: string | undefined): number | string | undefined =>
  text === undefined || Number.isNaN(Number(text)) ? text : Number(text)

function headersIn(text = ''): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]+):(.*)$/su.exec(line) ?? []
      if (name === '') throw new RefusedError(`A header is written as "name: value", got "${line}".`)
      return [name.trim().toLowerCase(), value.trim()]
    }),
  )
}
