/** The sandboxes: links to their consoles, a form that creates one, and buttons that drop one. */
import { ask, rootUrl, sandboxName, errorText } from './api.js'
import {
  button,
  counted,
  field,
  fillSelect,
  make,
  onChange,
  optionsOf,
  replaceChildren,
  showText,
  select,
} from './dom.js'

const rootPath = `${rootUrl}__admin/`

export function createSandboxesView(app) {
  const problem = make('p.problem', { role: 'alert', hidden: true })
  const missing = make('p.warning', { role: 'alert', hidden: true })
  const rows = make('tbody')
  const name = make('input', { name: 'name', autocomplete: 'off', placeholder: 'a random name' })
  const fixture = select({ name: 'fixture' }, [])
  const form = make(
    'form.fields',
    { novalidate: true, 'aria-label': 'Create a sandbox' },
    field('Name', name),
    field('Fixture', fixture),
    make('button.primary', 'Create a sandbox'),
  )
  const element = make(
    'section.panel',
    { 'aria-label': 'Sandboxes' },
    missing,
    make('p', 'A sandbox is a complete double under its own base URL. Its name links to its console.'),
    make(
      'div.wide',
      { role: 'region', 'aria-label': 'List of sandboxes', tabindex: '0' },
      make(
        'table',
        make(
          'thead',
          make(
            'tr',
            ...['Name', 'Base URL', 'Fixture', 'Records', 'Last request', 'Drop'].map((title) =>
              make('th', { scope: 'col' }, title),
            ),
          ),
        ),
        rows,
      ),
    ),
    make('h3', 'Create a sandbox'),
    form,
    problem,
  )

  async function run(action) {
    try {
      await action()
      showText(problem, '')
      app.refresh()
    } catch (error) {
      showText(problem, errorText(error))
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(async () => {
      await ask(`${rootPath}sandboxes`, {
        method: 'POST',
        body: { ...(name.value.trim() === '' ? {} : { name: name.value.trim() }), fixture: fixture.value },
      })
      name.value = ''
    })
  })

  const drop = (dropped) =>
    run(async () => {
      await ask(`${rootPath}sandboxes/${encodeURIComponent(dropped)}`, { method: 'DELETE' })
      if (dropped === sandboxName) location.href = `${rootPath}#sandboxes`
    })

  const row = ({ collections, fixture: seed, idleMs, name: label, url }) =>
    make(
      'tr',
      make(
        'th',
        { scope: 'row' },
        make(
          'a',
          {
            href: `${rootUrl}sandboxes/${encodeURIComponent(label)}/__admin/`,
            'aria-current': label === sandboxName && 'true',
          },
          label,
        ),
      ),
      make('td', make('code', url)),
      make('td', seed ?? 'inline'),
      make(
        'td',
        counted(
          Object.values(collections).reduce((sum, count) => sum + count, 0),
          'record',
        ),
      ),
      make('td', idleMs < 60_000 ? 'in the last minute' : `${Math.floor(idleMs / 60_000)} min ago`),
      make(
        'td',
        button('Drop', () => void drop(label), { 'aria-label': `Drop ${label}` }),
      ),
    )

  const showRows = onChange((sandboxes) =>
    replaceChildren(rows, [
      make(
        'tr',
        make(
          'th',
          { scope: 'row' },
          make('a', { href: rootPath, 'aria-current': sandboxName === undefined && 'true' }, 'root'),
        ),
        make('td', make('code', rootUrl.replace(/\/$/u, ''))),
        make('td', { colspan: '4', class: 'quiet' }, 'cannot be dropped'),
      ),
      ...sandboxes.map(row),
    ]),
  )
  return {
    element,
    async show({ unknown }) {
      const told = `There is no sandbox ${unknown}. It was not created, was dropped, or was idle for too long.`
      showText(missing, unknown === undefined ? '' : told)
      const [sandboxes, fixtures] = await Promise.all([ask(`${rootPath}sandboxes`), ask('fixtures')])
      // Without the milliseconds, which change with each response.
      showRows(sandboxes.map((each) => ({ ...each, idleMs: Math.floor(each.idleMs / 60_000) * 60_000 })))
      const valid = fixtures.filter(({ problems }) => !problems)
      fillSelect(fixture, optionsOf(valid.map(({ name: each }) => each)))
    },
  }
}
