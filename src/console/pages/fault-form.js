/** The form for a new fault. It offers the operations, statuses and parameters of the contract, and the callers of the state. */
import { field, fillSelect, onSubmit, optionsOf, select } from './controls.js'
import { make, onChange, showText, sortedOnce } from './dom.js'

/** The effects of a fault on the response, and the fields that it needs. */
const effects = [
  { value: 'status', text: 'send a status', fields: ['status', 'headers', 'body'] },
  { value: 'delay', text: 'only delay', fields: [] },
  { value: 'disconnect', text: 'close the connection', fields: [] },
  { value: 'truncate', text: 'send half of the body', fields: [] },
  { value: 'slow', text: 'send the body slowly', fields: ['chunkDelayMs'] },
]

/** @param {(fault: object) => Promise<void>} onAdd - Adds the fault. The form keeps its values if this fails. */
export function createFaultForm(onAdd) {
  const operation = select({ name: 'operation' }, [])
  const caller = select({ name: 'caller' }, [])
  const effect = select({ name: 'effect' }, effects)
  const status = select({ name: 'status' }, [])
  const number = (name, placeholder) =>
    make('input', { name, inputmode: 'numeric', autocomplete: 'off', placeholder: String(placeholder) })
  const body = make('textarea', { name: 'body', rows: '4', spellcheck: 'false' })
  const headers = make('textarea', { name: 'headers', rows: '2', spellcheck: 'false', placeholder: 'retry-after: 1' })
  const problem = make('p.problem', { role: 'alert', hidden: true })
  const parameters = make('div.fields')
  /** The fields that only some effects have. */
  const optional = new Map([
    ['status', field('Status', status)],
    ['chunkDelayMs', field('Delay of each part, ms', number('chunkDelayMs', 100))],
    ['headers', field('Headers, one on each line', headers)],
    ['body', field('Body, JSON. Empty: one that the contract allows', body)],
  ])
  const form = make(
    'form.stack',
    { novalidate: true, 'aria-label': 'Add a fault' },
    make(
      'div.fields',
      field('Operation', operation),
      field('Caller', caller),
      field('Effect', effect),
      optional.get('status'),
      optional.get('chunkDelayMs'),
      field('Delay, ms', number('delayMs', 0)),
      field('Times, a number or always', number('times', 1)),
      field('Skip first', number('skip', 0)),
    ),
    parameters,
    optional.get('headers'),
    optional.get('body'),
    problem,
    make('div', make('button.primary', 'Add fault')),
  )
  let documented = []
  let operations = []

  function showFields() {
    const shown = effects.find(({ value }) => value === effect.value)?.fields ?? []
    for (const [name, element] of optional) element.hidden = !shown.includes(name)
  }

  function showOperation() {
    const offered = documented
      .filter((row) => operation.value === '' || row.operation === operation.value)
      .map((row) => (row.status === 'default' ? '500' : row.status.replace('XX', '00')))
    const sorted = sortedOnce(offered)
    const chosen = status.value
    fillSelect(status, optionsOf(sorted))
    if (!sorted.includes(chosen)) status.value = sorted.find((value) => value >= '400') ?? sorted[0] ?? ''
    const selected = operations.find(({ operation: id }) => id === operation.value)
    parameters.replaceChildren(
      ...(selected?.parameters ?? []).map(({ in: place, name }) => {
        const input = make('input', { name: `parameter ${name}`, autocomplete: 'off', placeholder: 'any' })
        return field(`Only ${name}, ${place}`, input)
      }),
    )
  }

  const add = async () => {
    try {
      await onAdd(faultIn(new FormData(form), (name) => optional.get(name)?.hidden === false))
      showText(problem, '')
      for (const control of form.querySelectorAll('input, textarea')) control.value = ''
    } catch (error) {
      showText(problem, error.message)
    }
  }

  operation.addEventListener('change', showOperation)
  effect.addEventListener('change', showFields)
  onSubmit(form, () => void add())
  showFields()

  return {
    element: form,
    /** Fills the form with the operations and callers. Keeps the input of the user while these stay the same. */
    show: onChange((present) => {
      documented = present.statuses
      operations = present.operations
      const ids = operations.map(({ operation: id }) => id)
      fillSelect(operation, optionsOf(ids, 'every operation'))
      fillSelect(caller, optionsOf(present.callers, 'every caller'))
      showOperation()
    }),
  }
}

/** Reads the fault. Omits empty fields. Sends a text that is not a number as it is, because the double refuses it with a message. */
function faultIn(data, isShown) {
  const fault = {}
  const match = {}
  if (data.get('operation') !== '') fault.operation = data.get('operation')
  if (data.get('caller') !== '') match.caller = data.get('caller')
  const given = [...data]
    .filter(([name, value]) => name.startsWith('parameter ') && value !== '')
    .map(([name, value]) => [name.slice('parameter '.length), numberOr(value)])
  if (given.length > 0) match.parameters = Object.fromEntries(given)
  if (Object.keys(match).length > 0) fault.match = match
  for (const name of ['delayMs', 'times', 'skip', 'chunkDelayMs']) {
    const text = (data.get(name) ?? '').trim()
    if (text !== '' && (name !== 'chunkDelayMs' || isShown(name))) fault[name] = numberOr(text)
  }
  if (isShown('status')) fault.status = Number(data.get('status'))
  if (isShown('chunkDelayMs')) fault.chunkDelayMs ??= 100
  if (isShown('headers') && data.get('headers').trim() !== '') fault.headers = headersIn(data.get('headers'))
  if (isShown('body') && data.get('body').trim() !== '') fault.body = bodyIn(data.get('body'))
  if (data.get('effect') === 'disconnect') fault.disconnect = true
  if (data.get('effect') === 'truncate') fault.truncate = true
  return fault
}

const numberOr = (text) => (Number.isNaN(Number(text)) ? text : Number(text))

function headersIn(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const headers = lines.map((line) => {
    const [, name, value] = /^([^:]+):(.*)$/su.exec(line) ?? []
    if (name === undefined) throw new TypeError(`A header is written as "name: value", got "${line}".`)
    return [name.trim().toLowerCase(), value.trim()]
  })
  return Object.fromEntries(headers)
}

function bodyIn(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TypeError(`The body is not JSON: ${error.message}.`, { cause: error })
  }
}
