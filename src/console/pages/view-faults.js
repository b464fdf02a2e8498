/** The faults: delays, statuses and disconnects. */
import { ask, sentence } from './api.js'
import { byId, fillSelect, make, onChange, say } from './dom.js'

/**
 * Creates the view.
 *
 * @param {(action: Promise<unknown>) => void} run - Waits for an action, shows its error, and refreshes.
 * @param {() => void} onAdded - Called after a fault was added.
 */
export function createFaults(run, onAdded) {
  const form = byId('add-fault')
  const problem = byId('fault-problem')

  /** Removes faults. The button that was pressed disappears, so the heading gets the focus. */
  const remove = (path) => {
    byId('faults-title').focus()
    run(ask(path, { method: 'DELETE' }))
  }

  const add = async () => {
    try {
      await ask('faults', { method: 'POST', body: faultIn(new FormData(form)) })
      say(problem, '')
      form.reset()
      onAdded()
    } catch (error) {
      say(problem, sentence(error))
    }
  }

  byId('clear-faults').addEventListener('click', () => remove('faults'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void add()
  })

  return {
    list: onChange((faults) => {
      byId('no-faults').hidden = faults.length > 0
      byId('clear-faults').hidden = faults.length === 0
      byId('fault-list').replaceChildren(
        ...faults.map((fault) => {
          const { fired, id, times } = fault
          const button = make('button', { type: 'button', 'aria-label': `Remove ${id}` }, 'Remove')
          button.addEventListener('click', () => remove(`faults/${encodeURIComponent(id)}`))
          return make(
            'li',
            {},
            make(
              'span',
              {},
              make('code', {}, id),
              ` ${describe(fault)} `,
              make('span', { class: 'strong' }, `Applied ${fired} of ${times}.`),
            ),
            button,
          )
        }),
      )
    }),
    operations: onChange((names) =>
      fillSelect(byId('fault-operation'), [
        { value: '', text: 'all' },
        ...names.map((name) => ({ value: name, text: name })),
      ]),
    ),
  }
}

/** Reads the fault in the form. Empty fields are omitted, for the defaults. Text that is not a number is sent as it is; the double refuses it. */
function faultIn(data) {
  const fault = {}
  if (data.get('operation') !== '') fault.operation = data.get('operation')
  for (const name of ['status', 'delayMs', 'times', 'skip']) {
    const text = data.get(name).trim()
    if (text !== '') fault[name] = Number.isNaN(Number(text)) ? text : Number(text)
  }
  if (data.has('disconnect')) fault.disconnect = true
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
