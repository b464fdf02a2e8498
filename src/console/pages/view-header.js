/** The header: which double and sandbox this is, and going back to a fixture. */
import { ask, rootUrl, sandboxName, sentence } from './api.js'
import { byId, counted, fillSelect, make, onChange, say } from './dom.js'

/** @param {() => void} onReset - The state is that of a fixture now. */
export function createHeader(onReset) {
  const select = byId('fixture')
  const result = byId('reset-result')
  let fixtures = []

  say(byId('sandbox-name'), sandboxName ?? 'root')
  if (sandboxName !== undefined) document.title = `${sandboxName}: ${document.title}`

  const describe = () => say(byId('fixture-about'), aboutFixture(fixtures.find(({ name }) => name === select.value)))
  select.addEventListener('change', describe)

  const answer = (name, text) => {
    result.className = name
    say(result, text)
  }

  const goBack = async () => {
    try {
      const { collections, fixture } = await ask('reset', { method: 'POST', body: { fixture: select.value } })
      answer('good', `✓ The state is that of ${fixture} now: ${countedAll(collections)}.`)
      onReset()
    } catch (error) {
      answer('problem', sentence(error))
    }
  }

  byId('reset').addEventListener('submit', (event) => {
    event.preventDefault()
    void goBack()
  })

  return {
    health: ({ uptimeMs, version }) => say(byId('health'), `version ${version}, up ${duration(uptimeMs)}`),
    fixtures: onChange((list) => {
      fixtures = list
      fillSelect(
        select,
        list.map(({ name, problems }) => ({ value: name, text: problems ? `${name} (file is wrong)` : name })),
      )
      describe()
    }),
    /** The fixture that the state last went back to. */
    current: onChange((name) => {
      if (!fixtures.some((fixture) => fixture.name === name)) return
      select.value = name
      describe()
    }),
    sandboxes: onChange((names) => {
      const others = names.filter((name) => name !== sandboxName)
      byId('sandboxes').hidden = sandboxName === undefined && others.length === 0
      byId('sandbox-list').replaceChildren(
        ...(sandboxName === undefined ? [] : [make('li', {}, make('a', { href: `${rootUrl}__admin/` }, 'root'))]),
        ...others.map((name) =>
          make('li', {}, make('a', { href: `${rootUrl}sandboxes/${encodeURIComponent(name)}/__admin/` }, name)),
        ),
      )
    }),
  }
}

/** Numbers of records by collection. */
const countedAll = (collections) =>
  Object.entries(collections)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ') || 'no records'

function aboutFixture(fixture) {
  if (!fixture) return ''
  const { callers, collections, description, problems } = fixture
  if (problems) return problems.join('\n')
  const size = `${countedAll(collections)}, ${counted(callers, 'caller')}`
  return description === undefined ? size : `${description} (${size})`
}

function duration(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
