/** The sandboxes: links to their consoles, a form that creates one, and buttons that drop one. */
import { ask, rootUrl, sandboxName, errorText } from './api.js'
import { button, field, fillSelect, onSubmit, optionsOf, select } from './controls.js'
import { counted, headRow, make, onChange, replaceChildren, showText, wide } from './dom.js'

const columns = ['Name', 'Base URL', 'Fixture', 'Records', 'Last request', 'Drop']

const rootPath = `${rootUrl}__admin/`

const nameCell = (name, href, isCurrent) =>
  make('th', { scope: 'row' }, make('a', { href, 'aria-current': isCurrent && 'true' }, name))

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
    wide('List of sandboxes', make('table', make('thead', headRow(columns)), rows)),
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

  onSubmit(form, () =>
    run(async () => {
      const body = { name: name.value.trim() || undefined, fixture: fixture.value }
      await ask(`${rootPath}sandboxes`, { method: 'POST', body })
      name.value = ''
    }),
  )

  const drop = (dropped) =>
    run(async () => {
      await ask(`${rootPath}sandboxes/${encodeURIComponent(dropped)}`, { method: 'DELETE' })
      if (dropped === sandboxName) location.href = `${rootPath}#sandboxes`
    })

  const row = ({ collections, fixture: seed, idleMs, name: label, url }) => {
    const records = Object.values(collections).reduce((sum, count) => sum + count, 0)
    const dropper = button('Drop', () => void drop(label), { 'aria-label': `Drop ${label}` })
    return make(
      'tr',
      nameCell(label, `${rootUrl}sandboxes/${encodeURIComponent(label)}/__admin/`, label === sandboxName),
      make('td', make('code', url)),
      make('td', seed ?? 'inline'),
      make('td', counted(records, 'record')),
      make('td', idleMs < 60_000 ? 'in the last minute' : `${Math.floor(idleMs / 60_000)} min ago`),
      make('td', dropper),
    )
  }

  const showRows = onChange((sandboxes) =>
    replaceChildren(rows, [
      make(
        'tr',
        nameCell('root', rootPath, sandboxName === undefined),
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
      fillSelect(fixture, optionsOf(fixtures.filter(({ problems }) => !problems).map(({ name: each }) => each)))
    },
  }
}
