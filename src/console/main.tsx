/** The console: the bar with what is true now, the views, and one of them. */
import { effect } from '@preact/signals'
import { type JSX, render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { StateDiff } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { Fault } from '../sandbox/faults.js'
import type { UndoableChange } from '../sandbox/undo.js'
import { RefusedError, refusedTokens, rootRun, snapshot, urlOf, waitingFor } from './api.js'
import { ContractView } from './contract.js'
import { Button } from './controls.js'
import { FaultsView } from './faults.js'
import { countsOf, FixturesView, resetTo } from './fixtures.js'
import { change, follow, isEnded, isPaused, mode, notice, pagesUrl, refresh, togglePaused, useData } from './live.js'
import { RequestsView } from './requests.js'
import { linkTo, route, shownRun, type ViewProps } from './route.js'
import { RunPicker, useSandboxes } from './runs.js'
import { SignIn } from './sign-in.js'
import { StateView } from './state.js'
import { Heard, ProblemText, Sign, type SignKind } from './texts.js'

/** The views by name, with their titles. */
const views: Readonly<Record<string, readonly [title: string, View: (props: ViewProps) => JSX.Element]>> = {
  requests: ['Requests', RequestsView],
  state: ['State', StateView],
  faults: ['Faults', FaultsView],
  contract: ['Contract', ContractView],
  ...(snapshot ? {} : { fixtures: ['Fixtures', FixturesView] }),
}

const modes: Readonly<Record<typeof mode.value | 'stopped' | 'waiting', readonly [SignKind, string]>> = {
  live: ['live', 'live'],
  stopped: ['paused', 'paused'],
  waiting: ['warning', 'waiting for'],
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
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
  }, [view])
  const isDropped = useSandboxes().some(({ droppedAt, name }) => name === shownRun.value && droppedAt !== undefined)
  useEffect(() => void (isEnded.value = isDropped || snapshot !== undefined), [isDropped])
  if (refusedTokens.value > 0)
    return (
      <main id="content" class="stack">
        <h1>{serviceName}</h1>
        <SignIn onDone={refresh} />
      </main>
    )
  const isUnknown = refusal instanceof RefusedError && refusal.code === 'unknown_sandbox'
  return (
    <>
      <Bar diff={diff} />
      <nav class="views row" aria-label="Views">
        {Object.entries(views).map(([name, [text]]) => (
          <a key={name} href={linkTo(name)} aria-current={name === view ? 'page' : undefined}>
            {text}
          </a>
        ))}
        <p class="good" role="status">
          {notice}
        </p>
        {!snapshot && (
          <>
            <a href={`${pagesUrl()}docs`}>API reference</a>
            <a href={`${pagesUrl()}spec?contract=service`} download="openapi.yaml">
              Contract (YAML)
            </a>
          </>
        )}
      </nav>
      <main id="content" class="stack" tabIndex={-1}>
        <h2 ref={heading} class="visually-hidden" tabIndex={-1}>
          {title}
        </h2>
        <ProblemText error={isUnknown ? undefined : error} />
        {(isUnknown || query['unknown'] !== undefined) && (
          <section class="panel">
            <h3>There is no sandbox {query['unknown'] ?? shownRun.value}</h3>
            <p>
              It was not created here, it was idle for too long, or others have taken its place since it was dropped.{' '}
              <a href={`${urlOf(rootRun)}__admin/`}>Go to the root</a>
            </p>
          </section>
        )}
        {contract && !isUnknown && <View contract={contract} callers={Object.keys(known)} />}
      </main>
    </>
  )
}

/** What is true now. Its parts keep their places when their numbers change. */
function Bar({ diff }: { diff: StateDiff | undefined }) {
  const { value: faults = [] } = useData<readonly Fault[]>('faults')
  const { value: [last] = [] } = useData<readonly UndoableChange[]>('undo')
  const undoText = last && `Undo ${changeText(last)}`
  const { added, changed, removed } = countsOf(diff)
  const isWaiting = waitingFor.value !== '' && mode.value !== 'ended'
  const shownMode = isEnded.value ? 'ended' : isWaiting ? 'waiting' : isPaused.value ? 'stopped' : mode.value
  const [kind, text] = modes[shownMode]
  return (
    <header class="top row">
      <h1 class="cut" title={serviceName}>
        <a href={linkTo('requests')}>{serviceName}</a>
      </h1>
      <RunPicker />
      <span class="cut">fixture {diff?.fixture ?? 'inline'}</span>
      <a class="counts" href={linkTo('state')}>
        <span aria-hidden="true">{`+${added} −${removed} ~${changed}`}</span>
        <Heard>{`${added} added, ${removed} removed, ${changed} changed`}</Heard>
      </a>
      <a class="counts" href={linkTo('faults')}>
        <Sign kind={faults.length > 0 ? 'fault' : 'never'}>faults {faults.length}</Sign>
      </a>
      {!isEnded.value && <Button label="Reset" press={() => resetTo(undefined, diff)} />}
      {!isEnded.value && undoText && <Button class="cut" title={undoText} label={undoText} press={undo} />}
      <span id="mode" class="cut" role="status">
        <Sign kind={kind}>
          {text} {isWaiting && waitingFor}
        </Sign>
      </span>
      {!isEnded.value && (
        <Button label={isPaused.value ? 'Paused' : 'Pause'} aria-pressed={isPaused.value} press={togglePaused} />
      )}
    </header>
  )
}

/** The verbs for changes by the control plane, by operation. Others have the name of theirs. */
const verbs: Readonly<Record<string, string>> = {
  addRecord: 'add',
  replaceRecord: 'save',
  removeRecord: 'delete',
  changeRecords: 'change',
  setState: 'replace of the state',
}

function changeText({ keys = [], operation, removed }: UndoableChange): string {
  const verb = removed === keys.length ? 'delete' : removed === 0 ? 'restore' : (verbs[operation] ?? operation)
  return [verb, keys.length > 2 ? `of ${keys.length} records` : keys.join(', ')].join(' ').trim()
}

/** Undoes the last change of the run: there is one stack for each. */
async function undo(): Promise<string> {
  const undone = await change<UndoableChange>('POST', 'undo')
  if (undone.operation !== 'reset') return `Undone: ${changeText(undone)}.`
  const { requests } = undone
  const fate = requests === undefined ? 'cannot be brought back' : `are back: ${requests.toLocaleString('en')}`
  return `Undone: reset. The requests before it ${fate}.`
}

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
    (document.querySelector<HTMLElement>('.detail h3') ?? document.querySelector<HTMLElement>('main > h2'))?.focus()
}).observe(document.body, { childList: true, subtree: true })

render(<Console />, document.getElementById('app') ?? document.body)
follow()
