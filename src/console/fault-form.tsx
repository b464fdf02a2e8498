/** The form for a fault, with a sentence that previews it. */
import { useState } from 'preact/hooks'

import type { Explanation } from '../resources/explanation.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import type { FaultRequest } from '../sandbox/faults.js'
import { useData } from './live.js'
import { counted, Field, ProblemText, Select, sortedOnce, TextField } from './parts.js'

/** Describes a fault: which requests get what. */
export function sentenceOf({
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

interface FormProps {
  readonly contract: Explanation
  readonly callers: readonly string[]
  readonly draft: FaultRequest
  readonly add: (fault: FaultRequest) => Promise<void>
}

export function FaultForm({ add, callers, contract, draft }: FormProps) {
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
    <TextField label={label} name={name} placeholder={placeholder} list={list} value={valueOf(name)} set={set(name)} />
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
