/** The console: shows one view of the double, and requests its data again after each change. */
import { ask, errorText, rootUrl, sandboxName } from './api.js'
import { byId, make, showText, sign } from './dom.js'
import { follow } from './follow-events.js'
import { currentRoute, linkTo } from './route.js'
import { isUnauthorized, signIn } from './sign-in.js'
import { createCoverageView } from './view-coverage.js'
import { createFaultsView } from './view-faults.js'
import { createFixturesView } from './view-fixtures.js'
import { createRequestsView } from './view-requests.js'
import { createSandboxesView } from './view-sandboxes.js'
import { createStateView } from './view-state.js'

/** Minimum time between two refreshes, in milliseconds. */
const restMs = 300

/** The views by name: the title and the function that creates it. A view is created when it is first shown. */
const views = new Map([
  ['requests', { title: 'Requests', create: createRequestsView }],
  ['state', { title: 'State', create: createStateView }],
  ['faults', { title: 'Faults', create: createFaultsView }],
  ['coverage', { title: 'Coverage', create: createCoverageView }],
  ['fixtures', { title: 'Fixtures', create: createFixturesView }],
  ['sandboxes', { title: 'Sandboxes', create: createSandboxesView }],
])

/** The signs of the event stream by its status: the picture, the text and the class. */
const modes = {
  live: ['live', 'live', 'good'],
  hidden: ['paused', 'paused, the page is hidden', null],
  lost: ['warning', 'connection lost, trying again', 'bad'],
}

const created = new Map()

/** The operations and the collections of the contract, and the callers. Undefined: they may have changed and must be requested. */
let contract

let shownView
/** The status of the event stream. Undefined: it was never open. */
let shownMode

let isRefreshing = false
let isDue = false

/** The part of the console that the views use. */
const app = { contract: () => (contract ??= loadContract()), refresh }

async function loadContract() {
  const [{ collections, operations }, callers] = await Promise.all([ask('collections'), ask('callers')])
  return { collections, operations, callers }
}

/** Requests the data of the view again. Calls during a refresh cause one more refresh after it. */
function refresh() {
  isDue = true
  if (isRefreshing) return
  isRefreshing = true
  isDue = false
  showView()
    .then(
      () => showText(byId('problem'), ''),
      (error) => (isUnauthorized(error) ? location.reload() : showProblem(error)),
    )
    .finally(() => {
      setTimeout(() => {
        isRefreshing = false
        if (isDue) refresh()
      }, restMs)
    })
}

function showMode(mode) {
  // The double may have restarted with another contract.
  if (mode === 'live') contract = undefined
  if (mode !== shownMode) byId('mode').replaceChildren(sign(...modes[mode]))
  shownMode = mode
}

function showProblem(error) {
  contract = undefined
  if (error.code !== 'unknown_sandbox') return showText(byId('problem'), errorText(error))
  byId('view').replaceChildren(
    make(
      'section.panel',
      make('h2', `There is no sandbox ${sandboxName}`),
      make('p', 'It was dropped, or it was idle for too long.'),
      make('p', make('a', { href: `${rootUrl}__admin/#sandboxes` }, 'Go to the sandboxes of the root')),
    ),
  )
  shownView = undefined
  return undefined
}

async function showView() {
  const { query, view: wanted } = currentRoute()
  const name = views.has(wanted) ? wanted : 'requests'
  const { create, title } = views.get(name)
  const view = created.get(name) ?? create(app)
  created.set(name, view)
  const isOther = shownView !== view
  if (isOther) {
    const heading = make('h2.title', { tabindex: '-1' }, title)
    byId('view').replaceChildren(heading, view.element)
    document.title = `${title} · ${sandboxName ?? 'root'} · ${byId('name').textContent}`
    for (const link of byId('views').querySelectorAll('a'))
      if (link.dataset.view === name) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    if (shownView !== undefined) heading.focus()
    shownView = view
  }
  await view.show(query)
}

async function start() {
  showText(byId('sandbox'), sandboxName ?? 'root')
  await signIn()
  const links = Array.from(views, ([name, { title }]) => make('a', { href: linkTo(name), 'data-view': name }, title))
  byId('views').replaceChildren(make('ul.inline', ...links.map((link) => make('li', link))))
  byId('views').hidden = false
  addEventListener('hashchange', () => {
    // The link "Skip to the content" does not name a view.
    if (location.hash !== '#content') refresh()
  })
  refresh()
  follow({
    onChange: (operation) => {
      if (operation !== undefined) contract = undefined
      refresh()
    },
    onMode: showMode,
  })
}

start().catch(showProblem)
