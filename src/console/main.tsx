/** The console: the bar with what is true now, the views, and one of them. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { StateDiff } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { Fault } from '../sandbox/faults.js'
import { ask, pageRun, RefusedError, refusedTokens, rootRun, snapshot, urlOf, waitingFor } from './api.js'
import { ContractView } from './contract.js'
import { FaultsView } from './faults.js'
import { countsOf, FixturesView, resetTo } from './fixtures.js'
import { follow, isEnded, isPaused, mode, refresh, setPaused, useData } from './live.js'
import { Button, type PictureName, ProblemText, Sign, useAction } from './parts.js'
import { RequestsView } from './requests.js'
import { linkTo, route, shownRun } from './route.js'
import { useSandboxes } from './runs.js'
import { SignIn } from './sign-in.js'
import { StateView } from './state.js'

/** The views by name, with their titles. */
const titles = new Map([
  ['requests', 'Requests'],
  ['state', 'State'],
  ['faults', 'Faults'],
  ['contract', 'Contract'],
  ...(snapshot ? [] : [['fixtures', 'Fixtures'] as const]),
])

const modes: Readonly<Record<typeof mode.value, readonly [PictureName, string, string]>> = {
  live: ['live', 'live', 'good'],
  hidden: ['paused', 'paused, the page is hidden', 'quiet'],
  lost: ['warning', 'connection lost, trying again', 'bad'],
  ended: ['paused', 'ended', 'quiet'],
}

const pausedMode = ['paused', 'paused', 'quiet'] as const

const serviceName = document.title.replace(/: console$/u, '')

function Console() {
  const contract = useData<Explanation>('collections')
  const { value: known } = useData<Readonly<Record<string, unknown>>>('callers')
  const { error: unknown, value: diff } = useData<StateDiff>('state/diff?limit=0')
  const { value: faults = [] } = useData<readonly Fault[]>('faults')
  const run = useSandboxes().find(({ name }) => name === shownRun.value)
  const { query, view: wanted } = route.value
  const view = titles.has(wanted) ? wanted : 'requests'
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${titles.get(view) ?? ''} · ${shownRun.value} · ${serviceName}`
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
  }, [view])
  const isUnknown = unknown instanceof RefusedError && unknown.code === 'unknown_sandbox'
  const callers = Object.keys(known ?? {})
  const isDropped = run?.droppedAt !== undefined
  useEffect(() => void (isEnded.value = isDropped || snapshot !== undefined), [isDropped])
  if (refusedTokens.value > 0) return <SignIn onDone={refresh} />
  return (
    <>
      <Bar diff={diff} faults={faults.length} isDropped={isDropped} title={run?.title} />
      <nav class="views" aria-label="Views">
        <ul class="inline">
          {[...titles].map(([name, title]) => (
            <li key={name}>
              <a href={linkTo(name)} aria-current={name === view ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
          {!snapshot && (
            <>
              <li class="apart">
                <a href={`${urlOf(shownRun.value)}__admin/docs`}>API reference</a>
              </li>
              <li>
                <a href={`${urlOf(shownRun.value)}__admin/spec?contract=service`}>Contract (YAML)</a>
              </li>
            </>
          )}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <h2 ref={heading} class="visually-hidden" tabIndex={-1}>
          {titles.get(view)}
        </h2>
        <ProblemText error={isUnknown ? undefined : contract.error} />
        {(isUnknown || query['unknown'] !== undefined) && <Unknown name={query['unknown'] ?? shownRun.value} />}
        {contract.value && !isUnknown && (
          <>
            {view === 'requests' && <RequestsView contract={contract.value} callers={callers} />}
            {view === 'state' && <StateView contract={contract.value} callers={callers} isDropped={isDropped} />}
            {view === 'faults' && <FaultsView contract={contract.value} callers={callers} />}
            {view === 'contract' && <ContractView contract={contract.value} />}
            {view === 'fixtures' && <FixturesView diff={diff} />}
          </>
        )}
      </main>
    </>
  )
}

const Unknown = ({ name }: { name: string }) => (
  <section class="panel">
    <h3>There is no sandbox {name}</h3>
    <p>It was not created here, it was idle for too long, or others have taken its place since it was dropped.</p>
    <p>
      <a href={`${urlOf(rootRun)}__admin/`}>Go to the root</a>
    </p>
  </section>
)

interface BarProps {
  readonly diff: StateDiff | undefined
  readonly faults: number
  readonly isDropped: boolean
  readonly title: string | undefined
}

function Bar({ diff, faults, isDropped, title }: BarProps) {
  const [error, act] = useAction()
  const [done, setDone] = useState('')
  const counts = diff && countsOf(diff)
  const [picture, text, color] = isPaused.value ? pausedMode : modes[isEnded.value ? 'ended' : mode.value]
  return (
    <header class="top">
      <h1>
        <a href={linkTo('requests')}>{serviceName}</a>
      </h1>
      {(shownRun.value !== rootRun || pageRun !== rootRun) && (
        <span>
          <bdi>{title ?? shownRun.value}</bdi>
          {isDropped && <span class="quiet"> ended</span>}
        </span>
      )}
      <span>
        fixture {diff?.fixture ?? 'inline'}{' '}
        {counts && (
          <a href={linkTo('state')}>
            <span aria-hidden="true">
              +{counts.added} −{counts.removed} ~{counts.changed}
            </span>
            <span class="visually-hidden">
              {counts.added} added, {counts.removed} removed, {counts.changed} changed
            </span>
          </a>
        )}
      </span>
      {!isEnded.value && (
        <>
          <Button press={() => act(async () => setDone(await resetTo(undefined, diff)))}>Reset</Button>
          <Undo done={setDone} />
        </>
      )}
      {faults > 0 && (
        <a href={linkTo('faults')}>
          <Sign picture="fault" class="warn">
            faults {faults}
          </Sign>
        </a>
      )}
      <span id="mode" role="status">
        {waitingFor.value !== '' && mode.value !== 'ended' ? (
          <Sign picture="never" class="warn">
            waiting for {waitingFor.value}
          </Sign>
        ) : (
          <Sign picture={picture} class={color}>
            {text}
          </Sign>
        )}
      </span>
      {!isEnded.value && (
        <Button press={() => setPaused(!isPaused.value)} aria-pressed={isPaused.value}>
          {isPaused.value ? 'Paused' : 'Pause'}
        </Button>
      )}
      <p class="good" role="status">
        {done}
      </p>
      <ProblemText error={error} />
    </header>
  )
}

/** A change as `GET /undo` lists it. */
interface Undoable {
  readonly operation: string
  readonly keys?: readonly string[]
}

/** What the control plane did, by its operation. */
const verbs: Readonly<Record<string, string>> = {
  addRecord: 'add',
  replaceRecord: 'save',
  removeRecord: 'delete',
  changeRecords: 'change',
  reset: 'reset',
  setState: 'replace of the state',
}

const changeText = ({ keys = [], operation }: Undoable): string =>
  [verbs[operation] ?? operation, keys.length > 2 ? `of ${keys.length} records` : keys.join(', ')].join(' ').trim()

/** Undoes the last change of the run: there is one stack for each. */
function Undo({ done }: { done: (text: string) => void }) {
  const { value: [last] = [] } = useData<readonly Undoable[]>('undo')
  const [error, act] = useAction()
  if (!last) return null
  const undo = async (): Promise<void> => {
    const undone = await ask<Undoable>('undo', { run: shownRun.value, method: 'POST' })
    done(`Undone: ${changeText(undone)}.`)
    refresh()
  }
  return (
    <>
      <Button press={() => act(undo)}>Undo {changeText(last)}</Button>
      <ProblemText error={error} />
    </>
  )
}

// After a restart, the double may have another contract.
effect(() => {
  if (mode.value === 'live') refresh()
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
