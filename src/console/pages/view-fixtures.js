/** The fixtures: a list with a reset to each, and a button that saves the current state as a fixture. */
import { ask, sandboxName, errorText } from './api.js'
import { button } from './controls.js'
import { counted, make, onChange, replaceChildren, showText } from './dom.js'

export function createFixturesView(app) {
  const result = make('p', { role: 'status', hidden: true })
  const list = make('ul.plain.cards')
  const saver = button('Save as a fixture', () => void run(save))
  const element = make(
    'section.panel',
    { 'aria-label': 'Fixtures' },
    make('p', 'A reset sets the state to a fixture, and clears the requests, the faults and the coverage.'),
    result,
    list,
    make('h3', 'Save the current state'),
    make(
      'p.quiet',
      'The file is a fixture. Put it into the folder of fixtures; its file name is the name of the fixture.',
    ),
    make('div.row', saver),
  )

  const tell = (name, text) => {
    result.className = name
    showText(result, text)
  }

  async function run(action) {
    try {
      tell('good', await action())
      app.refresh()
    } catch (error) {
      tell('problem', errorText(error))
    }
  }

  const reset = (name) => async () => {
    const { collections, fixture } = await ask('reset', { method: 'POST', body: { fixture: name } })
    return `Reset to ${fixture}: ${countedAll(collections)}.`
  }

  async function save() {
    const { $seed: _, ...document } = await ask('state')
    const url = URL.createObjectURL(new Blob([`${JSON.stringify(document, null, 2)}\n`], { type: 'application/json' }))
    const name = `${sandboxName ?? 'root'}-state.json`
    make('a', { href: url, download: name }).click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
    return `Saved as ${name}.`
  }

  const showList = onChange(([fixtures, present]) => {
    const cards = fixtures.map((fixture) => {
      const { name, problems } = fixture
      const title = make('h3', name, name === present && make('span.quiet', ' (the current one)'))
      if (problems) return make('li.card', title, make('p.problem', problems.join('\n')))
      const resetter = button(`Reset to ${name}`, () => void run(reset(name)))
      return make('li.card', title, make('p', about(fixture)), make('div', resetter))
    })
    replaceChildren(list, cards)
  })

  return {
    element,
    async show() {
      const [fixtures, diff] = await Promise.all([ask('fixtures'), ask('state/diff?limit=0')])
      showList([fixtures, diff.fixture])
    },
  }
}

const countedAll = (collections) =>
  Object.entries(collections)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ') || 'no records'

const about = ({ callers, collections, description }) =>
  `${description === undefined ? '' : `${description}. `}${countedAll(collections)}, ${counted(callers, 'caller')}.`
