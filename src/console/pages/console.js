/** The console. It shows what the control plane says, and keeps nothing that is not asked for again. */
import { ask, rootUrl, sentence } from './api.js'
import { byId, say } from './dom.js'
import { follow } from './live.js'
import { admission, isUnadmitted } from './sign-in.js'
import { createCoverage } from './view-coverage.js'
import { createFaults } from './view-faults.js'
import { createHeader } from './view-header.js'
import { createJournal } from './view-journal.js'
import { createStateView } from './view-state.js'

/** However many exchanges happen, everything is asked for at most this often. Milliseconds. */
const restMs = 250

const modes = {
  live: '● live',
  polling: '○ asking every 2 seconds',
  resting: '○ resting, the page is hidden',
  lost: '⚠ connection lost, trying again',
}

const header = createHeader(refresh)
const state = createStateView()
const journal = createJournal(run)
const faults = createFaults(run, refresh)
const coverage = createCoverage()

/** What went wrong: when something was to be done, and when everything was asked for. */
const problems = { doing: '', asking: '' }

let isAsking = false
let isDue = false

function report(kind, problem) {
  problems[kind] = problem
  say(byId('problem'), [...new Set(Object.values(problems))].filter((text) => text !== '').join('\n'))
}

/** Waits for work that changes something, shows what goes wrong, and asks for everything again. */
function run(work) {
  work
    .then(
      () => report('doing', ''),
      (error) => report('doing', sentence(error)),
    )
    .finally(refresh)
}

/** Asks for everything. One at a time: who comes while it runs is served by the one after. */
function refresh() {
  if (isAsking) {
    isDue = true
    return
  }
  isAsking = true
  isDue = false
  askAll()
    .then(
      () => report('asking', ''),
      (error) => (isUnadmitted(error) ? location.reload() : report('asking', sentence(error))),
    )
    .finally(() => {
      setTimeout(() => {
        isAsking = false
        if (isDue) refresh()
      }, restMs)
    })
}

async function askAll() {
  // First by itself: where nobody answers, one question is enough to find out.
  header.health(await ask('health'))
  const [document, diff, { collections }, requests, faultList, rows, fixtures, sandboxes] = await Promise.all([
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
  state.show({ collections, document, diff })
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
