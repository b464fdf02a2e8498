/** The faults: those that run, with their counts, and a form for new ones that offers what the contract has. */
import { ask, sentence } from './api.js'
import { button, field, fillSelect, make, onChange, say, select } from './dom.js'

/** What a fault can do. */
const kinds = [
  { value: 'status', text: 'send a status' },
  { value: 'delay', text: 'only delay' },
  { value: 'disconnect', text: 'close the connection' },
]

export function createFaultsView(app) {
  const list = make('ul', { class: 'plain faults' })
  const none = make('p', { class: 'quiet' }, 'No faults. Every request is served.')
  const clear = button('End all', () => end('faults'))
  const heading = make('h3', { tabindex: '-1' }, 'Running')
  const operation = select({ name: 'operation' }, [])
  const kind = select({ name: 'kind' }, kinds)
  const status = select({ name: 'status' }, [])
  const statusField = field('Status', status)
  const delay = make('input', { name: 'delayMs', inputmode: 'numeric', autocomplete: 'off', placeholder: '0' })
  const times = make('input', { name: 'times', inputmode: 'numeric', autocomplete: 'off', placeholder: '1' })
  const skip = make('input', { name: 'skip', inputmode: 'numeric', autocomplete: 'off', placeholder: '0' })
  const problem = make('p', { class: 'problem', role: 'alert', hidden: true })
  const form = make(
    'form',
    { class: 'stack', novalidate: true, 'aria-label': 'Add a fault' },
    make(
      'div',
      { class: 'fields' },
      field('Operation', operation),
      field('Effect', kind),
      statusField,
      field('Delay, ms', delay),
      field('Times', times),
      field('Skip first', skip),
    ),
    problem,
    make('div', {}, make('button', { class: 'primary' }, 'Add fault')),
  )
  const element = make(
    'section',
    { class: 'panel', 'aria-label': 'Faults' },
    make('div', { class: 'head' }, heading, clear),
    none,
    list,
    make('h3', {}, 'Add a fault'),
    form,
  )
  let rows = []

  /** Ends faults. The button that was pressed disappears, so the heading gets the focus. */
  function end(path) {
    heading.focus()
    ask(path, { method: 'DELETE' }).then(
      () => app.refresh(),
      (error) => say(problem, sentence(error)),
    )
  }

  function showStatuses() {
    const statuses = rows
      .filter((row) => row.documented && (operation.value === '' || row.operation === operation.value))
      .map((row) => (row.status === 'default' ? '500' : row.status.replace('XX', '00')))
    fillSelect(
      status,
      [...new Set(statuses)]
        .toSorted((one, other) => one.localeCompare(other, 'en'))
        .map((value) => ({ value, text: value })),
    )
    statusField.hidden = kind.value !== 'status'
  }

  async function add() {
    try {
      await ask('faults', { method: 'POST', body: faultIn(new FormData(form)) })
      say(problem, '')
      for (const control of [delay, times, skip]) control.value = ''
      app.refresh()
    } catch (error) {
      say(problem, sentence(error))
    }
  }

  form.addEventListener('change', showStatuses)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void add()
  })

  const showList = onChange((faults) => {
    none.hidden = faults.length > 0
    clear.hidden = faults.length === 0
    list.replaceChildren(
      ...faults.map((fault) =>
        make(
          'li',
          {},
          make(
            'span',
            {},
            make('code', {}, fault.id),
            ` ${describe(fault)} `,
            make(
              'span',
              { class: 'strong' },
              fault.times === 'always' ? `Applied ${fault.fired} times.` : `Applied ${fault.fired} of ${fault.times}.`,
            ),
          ),
          button('End', () => end(`faults/${encodeURIComponent(fault.id)}`), { 'aria-label': `End ${fault.id}` }),
        ),
      ),
    )
  })
  const showOperations = onChange((names) => {
    fillSelect(operation, [
      { value: '', text: 'every operation' },
      ...names.map((name) => ({ value: name, text: name })),
    ])
    showStatuses()
  })

  return {
    element,
    async show() {
      const [faults, coverage, { operations }] = await Promise.all([ask('faults'), ask('coverage'), app.contract()])
      rows = coverage
      showOperations(operations.map(({ operation: id }) => id))
      showList(faults)
    },
  }
}

/** Reads the fault in the form. Empty fields are omitted, for the defaults. Text that is not a number is sent as it is; the double refuses it. */
function faultIn(data) {
  const fault = {}
  if (data.get('operation') !== '') fault.operation = data.get('operation')
  for (const name of ['delayMs', 'times', 'skip']) {
    const text = data.get(name).trim()
    if (text !== '') fault[name] = Number.isNaN(Number(text)) ? text : Number(text)
  }
  if (data.get('kind') === 'status') fault.status = Number(data.get('status'))
  if (data.get('kind') === 'disconnect') fault.disconnect = true
  return fault
}

function describe({ delayMs, disconnect, operation, skip, status }) {
  const what = [
    delayMs > 0 && `delays by ${delayMs.toLocaleString('en')} ms`,
    disconnect && 'closes the connection',
    status !== null && `sends ${status}`,
  ].filter(Boolean)
  const first = skip > 0 ? `, after ${skip.toLocaleString('en')} skipped` : ''
  return `${operation ?? 'Every operation'}: ${what.join(', then ')}${first}.`
}
