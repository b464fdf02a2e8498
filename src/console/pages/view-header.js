/** The header: the sandbox, the other sandboxes, and the reset form. */
import { ask, rootUrl, sandboxName, sentence } from './api.js'
import { byId, counted, fillSelect, make, onChange, say } from './dom.js'

/** Creates the view. @param {() => void} onReset - Called after a reset. */
export function createHeader(onReset) {
  const select = byId('fixture')
  const result = byId('reset-result')
  let fixtures = []

  say(byId('sandbox-name'), sandboxName ?? 'root')
  if (sandboxName !== undefined) document.title = `${sandboxName}: ${document.title}`

  const describe = () => say(byId('fixture-about'), aboutFixture(fixtures.find(({ name }) => name === select.value)))
  select.addEventListener('change', describe)

  const showResult = (name, text) => {
    result.className = name
    say(result, text)
  }

  const reset = async () => {
    try {
      const { collections, fixture } = await ask('reset', { method: 'POST', body: { fixture: select.value } })
      showResult('good', `✓ Reset to ${fixture}: ${countedAll(collections)}.`)
      onReset()
    } catch (error) {
      showResult('problem', sentence(error))
    }
  }

  byId('reset').addEventListener('submit', (event) => {
    event.preventDefault()
    void reset()
  })

  return {
    health: ({ uptimeMs, version }) => say(byId('health'), `version ${version}, up ${duration(uptimeMs)}`),
    fixtures: onChange((list) => {
      fixtures = list
      fillSelect(
        select,
        list.map(({ name, problems }) => ({ value: name, text: problems ? `${name} (invalid)` : name })),
      )
      describe()
    }),
    /** Selects the fixture of the last reset. */
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

/** Formats the number of records by collection. */
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
