/** The console: shows data of the control plane, and requests all of it again after each change. */
import { ask, rootUrl, sentence } from './api.js'
import { byId, say } from './dom.js'
import { follow } from './live.js'
import { admission, isUnadmitted } from './sign-in.js'
import { createCoverage } from './view-coverage.js'
import { createFaults } from './view-faults.js'
import { createHeader } from './view-header.js'
import { createJournal } from './view-journal.js'
import { createStateView } from './view-state.js'

/** Minimum time between two refreshes, in milliseconds. */
const restMs = 250

const modes = {
  live: '● live',
  polling: '○ refreshing every 2 seconds',
  resting: '○ paused, the page is hidden',
  lost: '⚠ connection lost, reconnecting',
}

const header = createHeader(refresh)
const state = createStateView()
const journal = createJournal(run)
const faults = createFaults(run, refresh)
const coverage = createCoverage()

/** Error messages of the last action and of the last refresh. */
const problems = { action: '', refresh: '' }

let isRefreshing = false
let isDue = false

function report(kind, problem) {
  problems[kind] = problem
  say(byId('problem'), [...new Set(Object.values(problems))].filter((text) => text !== '').join('\n'))
}

/** Waits for an action, shows its error, and refreshes. */
function run(action) {
  action
    .then(
      () => report('action', ''),
      (error) => report('action', sentence(error)),
    )
    .finally(refresh)
}

/** Requests all data. Calls during a refresh cause one more refresh after it. */
function refresh() {
  if (isRefreshing) {
    isDue = true
    return
  }
  isRefreshing = true
  isDue = false
  refreshAll()
    .then(
      () => report('refresh', ''),
      (error) => (isUnadmitted(error) ? location.reload() : report('refresh', sentence(error))),
    )
    .finally(() => {
      setTimeout(() => {
        isRefreshing = false
        if (isDue) refresh()
      }, restMs)
    })
}

async function refreshAll() {
  // If the double is down, one failed request is enough.
  header.health(await ask('health'))
  const [document, diff, contract, requests, faultList, rows, fixtures, sandboxes] = await Promise.all([
    ask('state'),
    ask('state/diff'),
    ask('collections'),
    ask('requests'),
    ask('faults'),
    ask('coverage'),
    ask('fixtures'),
    ask(`${rootUrl}__admin/sandboxes`),
  ])
  const operations = [...new Set(rows.map(({ operation }) => operation))]
  header.fixtures(fixtures)
  if (diff.fixture !== null) header.current(diff.fixture)
  header.sandboxes(sandboxes.map(({ name }) => name))
  state.show({ contract, document, diff })
  journal.operations(operations)
  journal.show(requests)
  faults.operations(operations)
  faults.list(faultList)
  coverage.rows(rows)
}

async function start() {
  await admission()
  byId('console').hidden = false
  follow({
    onTick: refresh,
    onMode: (mode) => say(byId('mode'), modes[mode]),
  })
}

start().catch((error) => say(byId('problem'), sentence(error)))
