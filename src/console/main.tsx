/** The console: the bar with what is true now, the views, and one of them. */
import { effect } from '@preact/signals'
import { type JSX, render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { StateDiff } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { Fault } from '../sandbox/faults.js'
import type { UndoableChange } from '../sandbox/undo.js'
import { pageRun, RefusedError, refusedTokens, rootRun, snapshot, urlOf, waitingFor } from './api.js'
import { ContractView } from './contract.js'
import { FaultsView } from './faults.js'
import { countsOf, FixturesView, resetTo } from './fixtures.js'
import { change, follow, isEnded, isPaused, mode, notice, refresh, setPaused, useData } from './live.js'
import { Button, Heard, ProblemText, Sign, type SignKind, type ViewProps } from './parts.js'
import { RequestsView } from './requests.js'
import { linkTo, route, shownRun } from './route.js'
import { useSandboxes } from './runs.js'
import { SignIn } from './sign-in.js'
import { StateView } from './state.js'

/** The views by name, with their titles. */
const views: Readonly<Record<string, readonly [title: string, View: (props: ViewProps) => JSX.Element]>> = {
  requests: ['Requests', RequestsView],
  state: ['State', StateView],
  faults: ['Faults', FaultsView],
  contract: ['Contract', ContractView],
  ...(snapshot ? {} : { fixtures: ['Fixtures', FixturesView] }),
}

const modes: Readonly<Record<typeof mode.value, readonly [SignKind, string]>> = {
  live: ['live', 'live'],
  hidden: ['paused', 'paused, the page is hidden'],
  lost: ['error', 'connection lost, trying again'],
  ended: ['paused', 'ended'],
}

const serviceName = document.title.replace(/: console$/u, '')

function Console() {
  const { error, value: contract } = useData<Explanation>('collections')
  const { value: known = {} } = useData<Readonly<Record<string, unknown>>>('callers')
  const { error: refusal, value: diff } = useData<StateDiff>('state/diff?limit=0')
  const { query, view: wanted } = route.value
  const view = Object.hasOwn(views, wanted) ? wanted : 'requests'
  const [title, View] = views[view] ?? ['', RequestsView]
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${title} · ${shownRun.value} · ${serviceName}`
    if (!isFirst.current) {
      // In a narrow window, the links are wider than it.
      document.querySelector('.views [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      heading.current?.focus()
    }
    isFirst.current = false
  }, [view])
  const run = useSandboxes().find(({ name }) => name === shownRun.value)
  const isDropped = run?.droppedAt !== undefined
  useEffect(() => void (isEnded.value = isDropped || snapshot !== undefined), [isDropped])
  if (refusedTokens.value > 0)
    return (
      <main id="content" class="stack">
        <h1>{serviceName}</h1>
        <SignIn onDone={refresh} />
      </main>
    )
  const isUnknown = refusal instanceof RefusedError && refusal.code === 'unknown_sandbox'
  const own = `${urlOf(shownRun.value)}__admin/`
  return (
    <>
      <Bar diff={diff} title={run?.title ?? shownRun.value} />
      <nav class="views" aria-label="Views">
        <ul class="row plain">
          {Object.entries(views).map(([name, [text]]) => (
            <li key={name}>
              <a href={linkTo(name)} aria-current={name === view ? 'page' : undefined}>
                {text}
              </a>
            </li>
          ))}
          {!snapshot && (
            <>
              <li class="end">
                <a href={`${own}docs`}>API reference</a>
              </li>
              <li>
                <a href={`${own}spec?contract=service`} download="openapi.yaml">
                  Contract (YAML)
                </a>
              </li>
            </>
          )}
        </ul>
      </nav>
      <main id="content" class="stack" tabIndex={-1}>
        <h2 ref={heading} class="visually-hidden" tabIndex={-1}>
          {title}
        </h2>
        <ProblemText error={isUnknown ? undefined : error} />
        {(isUnknown || query['unknown'] !== undefined) && <Unknown name={query['unknown'] ?? shownRun.value} />}
        {contract && !isUnknown && <View contract={contract} callers={Object.keys(known)} />}
      </main>
    </>
  )
}

const Unknown = ({ name }: { name: string }) => (
  <section class="panel">
    <h3>There is no sandbox {name}</h3>
    <p>
      It was not created here, it was idle for too long, or others have taken its place since it was dropped.{' '}
      <a href={`${urlOf(rootRun)}__admin/`}>Go to the root</a>
    </p>
  </section>
)

function Bar({ diff, title }: { diff: StateDiff | undefined; title: string }) {
  const { value: faults = [] } = useData<readonly Fault[]>('faults')
  const { value: [last] = [] } = useData<readonly UndoableChange[]>('undo')
  const counts = diff && countsOf(diff)
  const [kind, text] = isPaused.value ? (['paused', 'paused'] as const) : modes[isEnded.value ? 'ended' : mode.value]
  const isWaiting = waitingFor.value !== '' && mode.value !== 'ended'
  return (
    <header class="top row">
      <h1>
        <a href={linkTo('requests')}>{serviceName}</a>
      </h1>
      {(shownRun.value !== rootRun || pageRun !== rootRun) && (
        <span>
          <bdi>{title}</bdi>
          {isEnded.value && !snapshot && <span class="quiet"> ended</span>}
        </span>
      )}
      <span>
        fixture {diff?.fixture ?? 'inline'}{' '}
        {counts && (
          <a href={linkTo('state')}>
            <span aria-hidden="true">
              +{counts.added} −{counts.removed} ~{counts.changed}
            </span>
            <Heard>{`${counts.added} added, ${counts.removed} removed, ${counts.changed} changed`}</Heard>
          </a>
        )}
      </span>
      {!isEnded.value && <Button label="Reset" press={() => resetTo(undefined, diff)} />}
      {!isEnded.value && last && <Button label={`Undo ${changeText(last)}`} press={undo} />}
      {faults.length > 0 && (
        <a href={linkTo('faults')}>
          <Sign kind="fault">faults {faults.length}</Sign>
        </a>
      )}
      <p class="good" role="status">
        {notice}
      </p>
      <span id="mode" class="end" role="status">
        <Sign kind={isWaiting ? 'warning' : kind}>{isWaiting ? `waiting for ${waitingFor.value}` : text}</Sign>
      </span>
      {!isEnded.value && (
        <Button
          label={isPaused.value ? 'Paused' : 'Pause'}
          aria-pressed={isPaused.value}
          press={() => setPaused(!isPaused.value)}
        />
      )}
    </header>
  )
}

/** The verbs for changes by the control plane, by operation. */
const verbs: Readonly<Record<string, string>> = {
  addRecord: 'add',
  replaceRecord: 'save',
  removeRecord: 'delete',
  changeRecords: 'change',
  reset: 'reset',
  setState: 'replace of the state',
}

const changeText = ({ keys = [], operation }: UndoableChange): string =>
  [verbs[operation] ?? operation, keys.length > 2 ? `of ${keys.length} records` : keys.join(', ')].join(' ').trim()

/** Undoes the last change of the run: there is one stack for each. */
async function undo(): Promise<string> {
  const undone = await change<UndoableChange>('POST', 'undo')
  const lost = undone.operation === 'reset' ? ' The requests before it cannot be brought back.' : ''
  return `Undone: ${changeText(undone)}.${lost}`
}

// After a restart, the double may have another contract.
effect(() => {
  if (mode.value === 'live') refresh()
})
// What was done in one run or view is not shown in another.
effect(() => {
  void [shownRun.value, route.value.view]
  notice.value = ''
})

/** If what had the focus is gone, the title of the view gets it. */
let focused: Element | null = null
document.addEventListener('focusin', ({ target }) => (focused = target instanceof Element ? target : null))
new MutationObserver(() => {
  if (focused?.isConnected === false && document.activeElement === document.body)
    document.querySelector<HTMLElement>('main > h2')?.focus()
}).observe(document.body, { childList: true, subtree: true })

render(<Console />, document.getElementById('app') ?? document.body)
follow()
