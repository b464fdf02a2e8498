/** The console: the bar with what is true now, the views, and one of them. */
import { effect } from '@preact/signals'
import { type JSX, render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { StateDiff } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { Fault } from '../sandbox/faults.js'
import type { UndoableChange } from '../sandbox/undo.js'
import { hasCode, refusedTokens, rootRun, snapshot, urlOf, waitingFor } from './api.js'
import { ContractView } from './contract.js'
import { Button } from './controls.js'
import { FaultsView } from './faults.js'
import { countsOf, FixturesView, ResetPicker } from './fixtures.js'
import { change, follow, isEnded, isPaused, mode, notice, refresh, togglePaused, useData } from './live.js'
import { RequestsView } from './requests.js'
import { linkTo, route, shownRun, type ViewProps } from './route.js'
import { RunPicker, useSandboxes } from './runs.js'
import { SignIn } from './sign-in.js'
import { StateView } from './state.js'
import { Heard, ProblemText, Sign, type SignKind } from './texts.js'

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
  const said = notice.value
  const isUnknown = hasCode(refusal, 'unknown_sandbox')
  return (
    <>
      <Bar diff={diff} />
      <nav class="views row" aria-label="Views">
        {Object.entries(views).map(([name, [text]]) => (
          <a key={name} href={linkTo(name)} aria-current={name === view ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <div class="notice" role="status">
        {typeof said === 'string' ? said && <p class="panel good">{said}</p> : <ProblemText error={said} />}
      </div>
      <main id="content" class="stack" tabIndex={-1}>
        <h2 ref={heading} class="visually-hidden" tabIndex={-1}>
          {title}
        </h2>
        <ProblemText error={isUnknown ? undefined : error} />
        {(isUnknown || query['unknown'] !== undefined) && (
          <p class="problem" role="alert">
            {`There is no sandbox ${query['unknown'] ?? shownRun.value}. It was not created here, or was dropped. `}
            <a href={`${urlOf(rootRun)}__admin/`}>Go to the root</a>
          </p>
        )}
        {contract && !isUnknown && <View contract={contract} callers={Object.keys(known)} />}
      </main>
    </>
  )
}

/** A text of the bar that a narrow window leaves to screen readers. */
const Detailed = ({ text }: { text: string }) => <span class="what cut">{text}</span>

/** What is true now. Its parts keep their places when their numbers change. */
function Bar({ diff }: { diff: StateDiff | undefined }) {
  const { value: faults = [] } = useData<readonly Fault[]>('faults')
  const { value: [last] = [] } = useData<readonly UndoableChange[]>('undo')
  const counts = countsOf(diff)
  const isWaiting = waitingFor.value !== '' && mode.value !== 'ended'
  const shownMode = isEnded.value ? 'ended' : isWaiting ? 'waiting' : isPaused.value ? 'stopped' : mode.value
  const [kind, text] = modes[shownMode]
  return (
    <header class="top row">
      <h1 class="cut" title={serviceName}>
        <a href={linkTo('requests')}>{serviceName}</a>
      </h1>
      <RunPicker />
      <Detailed text={`fixture ${diff?.fixture ?? 'inline'}`} />
      <a class="counts" href={linkTo('state')}>
        {(['added', 'removed', 'changed'] as const).map((each) => (
          <Sign key={each} kind={each}>
            {counts[each]} <Heard>{each} </Heard>
          </Sign>
        ))}
      </a>
      <a href={linkTo('faults')}>
        <Sign kind={faults.length > 0 ? 'fault' : 'never'}>
          <Detailed text="faults" /> {faults.length}
        </Sign>
      </a>
      {!isEnded.value && <ResetPicker diff={diff} />}
      {!isEnded.value && last && (
        <Button id="undo" label={['Undo ', <Detailed text={changeText(last)} />]} press={undo} />
      )}
      <span id="mode" class="cut" role="status">
        <Sign kind={kind}>{isWaiting ? `${text} ${waitingFor.value}` : text}</Sign>
      </span>
      {!isEnded.value && (
        <Button
          label={
            <Sign kind={isPaused.value ? 'live' : 'paused'}>
              <Detailed text={isPaused.value ? 'Resume' : 'Pause'} />
            </Sign>
          }
          press={togglePaused}
        />
      )}
    </header>
  )
}

function changeText({ keys = [], operation, removed }: UndoableChange): string {
  const isRemoval = operation === 'removeRecord' || removed === keys.length
  const verb = isRemoval ? 'delete' : removed === 0 ? 'restore' : operation.replaceAll(/[A-Z]/gu, ' $&').toLowerCase()
  return [verb, keys.length > 2 ? `of ${keys.length} records` : keys.join(', ')].join(' ').trim()
}

/** Undoes the last change of the run: there is one stack for each. The title of the view gets the focus: Enter must not undo the next one. */
async function undo(): Promise<string> {
  const undone = await change<UndoableChange>('POST', 'undo')
  document.querySelector('h2')?.focus()
  return `Undone: ${changeText(undone)}.`
}

// What was done in one run or view is not shown in another.
effect(() => {
  void [shownRun.value, route.value.view]
  notice.value = ''
})

/** Time after which the page takes back what it has said, milliseconds. An error stays. */
const noticeMs = 10_000

effect(() => {
  if (typeof notice.value !== 'string' || notice.value === '') return undefined
  const timer = setTimeout(() => (notice.value = ''), noticeMs)
  return () => clearTimeout(timer)
})

/** What had the focus last, the list and the part of the page that have it, what follows it, then what is before; and the row that is or was open. */
let [focused, homes, near, open]: [HTMLElement?, (Element | null)[]?, HTMLElement[]?, HTMLElement?] = []
document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return
  const all = [...document.querySelectorAll<HTMLElement>('a, button, input, select, textarea, summary')]
  const at = all.indexOf(target)
  focused = target
  homes = ['ul, ol, table', 'section, nav, header'].map((each) => target.closest(each))
  near = [...all.slice(at + 1), ...all.slice(0, at).toReversed()]
})
const isUsable = (element: HTMLElement): boolean => element.isConnected && element.ariaDisabled !== 'true'

/**
 * If what had the focus is gone or disabled, what its `data-next` names gets it, as soon as that is there. Without one, it is the nearest in the
 * same list or part, or else the title above; of the bar, that of the view.
 */
new MutationObserver(() => {
  open = document.querySelector<HTMLElement>(':is(.entries, .records) [aria-current]') ?? open
  if (!focused || isUsable(focused) || ![document.body, focused].includes(document.activeElement as HTMLElement)) return
  const named = focused.dataset['next']
  if (named !== undefined) return document.getElementById(named)?.focus()
  const place = homes?.find((each) => each?.isConnected) ?? document.querySelector('.columns')
  const title = place?.closest('section')?.querySelector<HTMLElement>('h3') ?? document.querySelector('h2')
  title?.setAttribute('tabindex', '-1')
  const candidates = place?.matches('header') ? [] : [open, ...(near ?? [])]
  const next = candidates.find((each) => each && isUsable(each) && place?.contains(each)) ?? title
  next?.focus()
}).observe(document.body, { attributeFilter: ['aria-current', 'aria-disabled'], childList: true, subtree: true })

render(<Console />, document.getElementById('app') ?? document.body)
follow()
