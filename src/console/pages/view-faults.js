/** The faults: a list with their counts, and the form for a new one. */
import { ask, errorText } from './api.js'
import { button, make, onChange, replaceChildren, showText } from './dom.js'
import { createFaultForm } from './fault-form.js'

export function createFaultsView(app) {
  const list = make('ul.plain.faults')
  const none = make('p.quiet', 'No faults. Every request is served.')
  const clear = button('Remove all', () => void remove('faults'))
  const heading = make('h3', { tabindex: '-1' }, 'Active faults')
  const problem = make('p.problem', { role: 'alert', hidden: true })
  const form = createFaultForm(async (fault) => {
    await ask('faults', { method: 'POST', body: fault })
    app.refresh()
  })
  const element = make(
    'section.panel',
    { 'aria-label': 'Faults' },
    make('div.head', heading, clear),
    problem,
    none,
    list,
    make('h3', 'Add a fault'),
    form.element,
  )

  /** Removes faults. The pressed button disappears, so the heading gets the focus. */
  async function remove(path) {
    heading.focus()
    try {
      await ask(path, { method: 'DELETE' })
      showText(problem, '')
    } catch (error) {
      showText(problem, errorText(error))
    }
    app.refresh()
  }

  const showList = onChange((faults) => {
    none.hidden = faults.length > 0
    clear.hidden = faults.length === 0
    replaceChildren(
      list,
      faults.map((fault) =>
        make(
          'li',
          make(
            'span',
            make('code', fault.id),
            ` ${describe(fault)} `,
            make(
              'span.strong',
              fault.times === 'always' ? `Applied ${fault.fired} times.` : `Applied ${fault.fired} of ${fault.times}.`,
            ),
          ),
          button('Remove', () => void remove(`faults/${encodeURIComponent(fault.id)}`), {
            'aria-label': `Remove ${fault.id}`,
          }),
        ),
      ),
    )
  })

  return {
    element,
    async show() {
      const [faults, coverage, { callers, operations }] = await Promise.all([
        ask('faults'),
        ask('coverage'),
        app.contract(),
      ])
      const documented = coverage.filter((row) => row.documented)
      form.show({
        operations: operations.map(({ operation, parameters }) => ({ operation, parameters })),
        callers: Object.keys(callers),
        statuses: documented.map(({ operation, status }) => ({ operation, status })),
      })
      showList(faults)
    },
  }
}

function describe(fault) {
  const { body, chunkDelayMs, delayMs, disconnect, headers, match, operation, skip, status, truncate } = fault
  const what = [
    delayMs > 0 && `delays by ${delayMs.toLocaleString('en')} ms`,
    disconnect && 'closes the connection',
    status !== null && `sends ${status}`,
    Object.keys(headers).length > 0 && `sends ${Object.keys(headers).join(', ')}`,
    body !== undefined && 'sends another body',
    truncate && 'sends half of the body',
    chunkDelayMs > 0 && `sends the body slowly, ${chunkDelayMs.toLocaleString('en')} ms for each part`,
  ].filter(Boolean)
  const only = [
    match.caller !== undefined && `of ${match.caller}`,
    ...Object.entries(match.parameters ?? {}).map(([name, value]) => `with ${name} ${String(value)}`),
  ].filter(Boolean)
  const which = `${operation ?? 'Every operation'}${only.length > 0 ? `, requests ${only.join(' and ')}` : ''}`
  return `${which}: ${what.join(', then ')}${skip > 0 ? `, after ${skip.toLocaleString('en')} skipped` : ''}.`
}
