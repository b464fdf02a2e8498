/** Faults: exchanges that are made to misbehave. */
import { ask, sentence } from './api.js'
import { byId, fillSelect, make, onChange, say } from './dom.js'

/**
 * @param {(work: Promise<unknown>) => void} run - Waits for work, shows what goes wrong, and asks for everything again.
 * @param {() => void} onAdded - There is a fault more.
 */
export function createFaults(run, onAdded) {
  const form = byId('add-fault')
  const problem = byId('fault-problem')

  /** The button that was pressed goes away; the heading is the nearest thing that stays. */
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
              make('span', { class: 'strong' }, `Fired ${fired} of ${times}.`),
            ),
            button,
          )
        }),
      )
    }),
    operations: onChange((names) =>
      fillSelect(byId('fault-operation'), [
        { value: '', text: 'every one' },
        ...names.map((name) => ({ value: name, text: name })),
      ]),
    ),
  }
}

/** Only what was filled in: the rest is the double's to decide. What is no number is sent as it is, for the double to refuse. */
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
    delayMs > 0 && `waits ${delayMs.toLocaleString('en')} ms`,
    disconnect && 'cuts the connection',
    status !== null && `answers ${status}`,
  ].filter(Boolean)
  const first = skip > 0 ? `, after letting ${skip.toLocaleString('en')} pass` : ''
  return `${operation ?? 'Every operation'}: ${what.join(', then ')}${first}.`
}
