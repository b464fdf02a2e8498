/** The faults: a list with their counts, and the form for a new one; and the variations, each with a switch. */
import { ask, errorText } from './api.js'
import { button } from './controls.js'
import { make, onChange, replaceChildren, showText } from './dom.js'
import { createFaultForm } from './fault-form.js'

export function createFaultsView(app) {
  const list = make('ul.plain.faults')
  const none = make('p.quiet', 'No faults. Every request is served.')
  const clear = button('Remove all', () => void remove('faults'))
  const heading = make('h3', { tabindex: '-1' }, 'Active faults')
  const problem = make('p.problem', { role: 'alert', hidden: true })
  const variations = make('ul.plain.faults')
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
    make('h3', 'Variations that the contract allows'),
    make('p.quiet', 'Those that apply to the responses so far.'),
    variations,
  )

  /** Removes faults. The pressed button disappears, so the heading gets the focus. */
  function remove(path) {
    heading.focus()
    return send(path, { method: 'DELETE' })
  }

  async function send(path, request) {
    try {
      await ask(path, request)
      showText(problem, '')
    } catch (error) {
      showText(problem, errorText(error))
    }
    app.refresh()
  }

  const showList = onChange((faults) => {
    none.hidden = faults.length > 0
    clear.hidden = faults.length === 0
    replaceChildren(list, faults.map(item))
  })

  function item(fault) {
    const { fired, id, times } = fault
    const count = make('span.strong', `Applied ${fired} ${times === 'always' ? 'times' : `of ${times}`}.`)
    const path = `faults/${encodeURIComponent(id)}`
    const remover = button('Remove', () => void remove(path), { 'aria-label': `Remove ${id}` })
    return make('li', make('span', make('code', id), ` ${describe(fault)} `, count), remover)
  }

  const showVariations = onChange((all) => {
    const on = all.filter((each) => each.on).map(({ unit }) => unit)
    const items = all.map(({ applied, on: isOn, unit }) => {
      const next = isOn ? on.filter((each) => each !== unit) : [...on, unit]
      const label = isOn ? 'Turn off' : 'Turn on'
      const attributes = { 'aria-label': `${label} ${unit}`, 'data-name': unit }
      const toggle = button(label, () => void send('variations', { method: 'PUT', body: next }), attributes)
      return make('li', make('span', make('code', unit), ` Applied ${applied} times.`), toggle)
    })
    replaceChildren(variations, items)
  })

  return {
    element,
    async show() {
      const { callers, operations } = await app.contract()
      const [faults, coverage] = await Promise.all([ask('faults'), ask('coverage')])
      const statuses = coverage.filter((row) => row.documented).map(({ operation, status }) => ({ operation, status }))
      const offered = operations.map(({ operation, parameters }) => ({ operation, parameters }))
      form.show({ operations: offered, callers: Object.keys(callers), statuses })
      showList(faults)
      showVariations(await ask('variations'))
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
