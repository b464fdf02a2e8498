/** The faults: those that wait for requests, the consumed ones, and the form for a new one; and the variations, each with a switch. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { VariationSummary } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import { ask, snapshot } from './api.js'
import { refresh, useData } from './live.js'
import { Button, counted, Field, ProblemText, Select, Sign, sortedOnce, useAction } from './parts.js'
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
    if (like) setDraft(like)
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
      {!snapshot && (
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
      {!snapshot && <span class="row">{children}</span>}
    </li>
  )
}

/** Describes a fault: which requests get what. */
function sentenceOf({
  body,
  chunkDelayMs = 0,
  delayMs = 0,
  disconnect,
  headers = {},
  match = {},
  operation,
  skip = 0,
  status,
  times = 1,
  truncate,
}: FaultRequest): string {
  const which = times === 1 ? 'The next request' : times === 'always' ? 'All requests' : `The next ${times} requests`
  const parameters = Object.entries(match.parameters ?? {}).map(([name, value]) => `${name}=${String(value)}`)
  const effects = [
    disconnect
      ? 'no response, the connection is closed'
      : status === undefined && body === undefined
        ? ''
        : `status ${status ?? 'of a success'}`,
    Object.keys(headers).length > 0 ? `the headers ${Object.keys(headers).join(', ')}` : '',
    body === undefined ? '' : 'the body of the fault',
    truncate ? 'half of the body' : '',
    chunkDelayMs > 0 ? `the body in parts, ${chunkDelayMs} ms each` : '',
    delayMs > 0 ? `a delay of ${delayMs} ms` : '',
  ].filter((effect) => effect !== '')
  return [
    which,
    operation === undefined ? '' : ` of ${operation}`,
    match.caller === undefined ? '' : ` by ${match.caller}`,
    parameters.length === 0 ? '' : ` with ${parameters.join(' and ')}`,
    skip > 0 ? `, after ${counted(skip, 'normal one')},` : '',
    effects.length === 0 ? ': no effect' : `: ${effects.join(', ')}`,
    '.',
  ].join('')
}

/** The effects of a fault on the response. */
const effects = ['send a status', 'only delay', 'close the connection', 'send half of the body', 'send the body slowly']

const effectOf = ({ chunkDelayMs, delayMs, disconnect, status, truncate }: FaultRequest): string => {
  const found = disconnect ? 2 : truncate ? 3 : chunkDelayMs ? 4 : delayMs !== undefined && status === undefined ? 1 : 0
  return effects[found] ?? ''
}

interface FormProps extends FaultsProps {
  readonly draft: FaultRequest
  readonly add: (fault: FaultRequest) => Promise<void>
}

function FaultForm({ add, callers, contract, draft }: FormProps) {
  const { match = {} } = draft
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({
    operation: draft.operation ?? '',
    caller: match.caller ?? '',
    effect: effectOf(draft),
    status: String(draft.status ?? ''),
    delayMs: String(draft.delayMs ?? ''),
    chunkDelayMs: String(draft.chunkDelayMs ?? ''),
    times: String(draft.times ?? ''),
    skip: String(draft.skip ?? ''),
    headers: Object.entries(draft.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    body: draft.body === undefined ? '' : JSON.stringify(draft.body, null, 2),
    ...Object.fromEntries(
      Object.entries(match.parameters ?? {}).map(([name, value]) => [`parameter ${name}`, String(value)]),
    ),
  })
  const [problem, setProblem] = useState('')
  const { value: coverage = [] } = useData<readonly CoverageRow[]>('coverage')
  const set = (name: string) => (value: string) => setFields({ ...fields, [name]: value })
  const valueOf = (name: string): string => fields[name] ?? ''
  const documented = sortedOnce(
    coverage
      .filter(
        ({ documented: isDocumented, operation }) =>
          isDocumented && (valueOf('operation') === '' || operation === valueOf('operation')),
      )
      .map(({ status }) => status.replace('default', '500').replace('XX', '00')),
  )
  const input = (label: string, name: string, placeholder = '', list?: string) => (
    <Field label={label}>
      <input
        name={name}
        autocomplete="off"
        placeholder={placeholder}
        list={list}
        value={valueOf(name)}
        onInput={({ currentTarget }) => set(name)(currentTarget.value)}
      />
    </Field>
  )
  const area = (label: string, name: string, rows: number) => (
    <Field label={label}>
      <textarea
        name={name}
        rows={rows}
        spellcheck={false}
        value={valueOf(name)}
        onInput={({ currentTarget }) => set(name)(currentTarget.value)}
      />
    </Field>
  )
  const read = (): FaultRequest | undefined => {
    try {
      return faultIn(fields)
    } catch {
      return undefined
    }
  }
  const preview = read()
  const effect = valueOf('effect')
  const operation = contract.operations.find((each) => each.operation === valueOf('operation'))
  return (
    <form
      class="stack"
      aria-label="Add a fault"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        try {
          const fault = faultIn(fields)
          setProblem('')
          void add(fault)
        } catch (error) {
          setProblem((error as Error).message)
        }
      }}
    >
      <div class="fields">
        <Select
          label="Operation"
          none="every operation"
          value={valueOf('operation')}
          options={contract.operations.map((each) => each.operation)}
          choose={set('operation')}
        />
        <Select label="Caller" none="every caller" value={valueOf('caller')} options={callers} choose={set('caller')} />
        <Select label="Effect" value={effect} options={effects} choose={set('effect')} />
        {effect === effects[0] && input('Status, 200 to 599', 'status', '500', 'fault-statuses')}
        {effect === effects[4] && input('Delay of each part, ms', 'chunkDelayMs', '100')}
        {input('Delay, ms', 'delayMs', '0')}
        {input('Times, a number or always', 'times', '1')}
        {input('Skip first', 'skip', '0')}
        {operation?.parameters.map(({ in: place, name }) =>
          input(`Only ${name}, ${place}`, `parameter ${name}`, 'any'),
        )}
      </div>
      <datalist id="fault-statuses">
        {documented.map((status) => (
          <option key={status} value={status} />
        ))}
      </datalist>
      {effect === effects[0] && area('Headers, one on each line', 'headers', 2)}
      {effect === effects[0] && area('Body, JSON. Empty: one that the contract allows', 'body', 4)}
      <p class="quiet" role="status">
        {preview && sentenceOf(preview)}
      </p>
      <ProblemText error={problem} />
      <div>
        <button class="primary">Add fault</button>
      </div>
    </form>
  )
}

/** Reads the form. Sends a text that is not a number as it is, because the double refuses it with a message. @throws {TypeError} The headers or the body cannot be read. */
function faultIn(fields: Readonly<Record<string, string>>): FaultRequest {
  const text = (name: string): string => (fields[name] ?? '').trim()
  const number = (name: string, fallback?: number) => (text(name) === '' ? fallback : numberOr(text(name)))
  const effect = effects.indexOf(text('effect'))
  const parameters = Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith('parameter ') && value !== '' ? [[name.slice('parameter '.length), numberOr(value)] as const] : [],
  )
  const match = {
    ...(text('caller') === '' ? {} : { caller: text('caller') }),
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }),
  }
  const fault = {
    operation: text('operation') || undefined,
    match: Object.keys(match).length === 0 ? undefined : match,
    status: effect === 0 ? number('status', text('body') === '' ? 500 : undefined) : undefined,
    headers: effect === 0 && text('headers') !== '' ? headersIn(text('headers')) : undefined,
    body: effect === 0 && text('body') !== '' ? bodyIn(text('body')) : undefined,
    disconnect: effect === 2 || undefined,
    truncate: effect === 3 || undefined,
    chunkDelayMs: effect === 4 ? number('chunkDelayMs', 100) : undefined,
    delayMs: number('delayMs'),
    times: number('times'),
    skip: number('skip'),
  }
  // The double checks the types.
  return Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined))
}

const numberOr = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text))

const headersIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      if (line.trim() === '') return []
      const [, name = '', value = ''] = /^([^:]+):(.*)$/su.exec(line) ?? []
      if (name === '') throw new TypeError(`A header is written as "name: value", got "${line}".`)
      return [[name.trim().toLowerCase(), value.trim()]]
    }),
  )

function bodyIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TypeError(`The body is not JSON: ${(error as Error).message}.`, { cause: error })
  }
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
