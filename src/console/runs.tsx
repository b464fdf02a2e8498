/** The runs: the root and the sandboxes, each with its test, also those that are dropped. */
import { useEffect } from 'preact/hooks'

import type { SandboxSummary } from '../control/document-types.js'
import { rootRun, snapshot } from './api.js'
import { mode, refreshUnlessPaused, useData } from './live.js'
import { goTo, linkTo, route, shownRun } from './route.js'
import { counted, Sign } from './texts.js'

/** The time after which the list of runs is requested again while there are sandboxes, milliseconds. */
const runsEveryMs = 2000

/** The signs of the states of a run. */
const kinds = { live: 'live', passed: 'ok', failed: 'error', skipped: 'never', ended: 'paused' } as const

/** Tells whether clients have broken the contract, and no test expects that. */
const isViolated = ({ expectViolations, violations }: SandboxSummary): boolean => violations > 0 && !expectViolations

const stateOf = ({ droppedAt, result }: SandboxSummary) => result?.outcome ?? (droppedAt ? 'ended' : 'live')

/** The sandboxes, also the dropped ones: first those with something to look at, then the newest. */
export function useSandboxes(): readonly SandboxSummary[] {
  const { value = [] } = useData<readonly SandboxSummary[]>('sandboxes', { run: rootRun })
  const rank = (each: SandboxSummary): number => (isViolated(each) ? 0 : each.result?.outcome === 'failed' ? 1 : 2)
  return value.toReversed().toSorted((one, other) => rank(one) - rank(other))
}

/** Chooses the run that each view shows. */
export function RunPicker() {
  const texts = new Map([rootRun, shownRun.value].map((name) => [name, name]))
  for (const each of useSandboxes()) texts.set(each.name, `${each.title ?? each.name} ${stateOf(each)}`)
  if (texts.size === 1) return null
  const open = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    goTo(linkTo(route.value.view, { run: currentTarget.value }))
  return (
    <select aria-label="Run" value={shownRun.value} onChange={open}>
      {[...texts].map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** The list of the runs, and what its signs mean. */
export function Runs() {
  const sandboxes = useSandboxes()
  const isAnyLive = sandboxes.some(({ droppedAt }) => droppedAt === undefined)
  useEffect(() => {
    if (!isAnyLive || mode.value === 'hidden') return undefined
    const timer = setInterval(() => mode.value === 'live' && refreshUnlessPaused(), runsEveryMs)
    return () => clearInterval(timer)
  }, [isAnyLive])
  return (
    <nav class="panel runs" aria-label="Runs">
      <h2>Runs</h2>
      <ul class="plain list">
        <RunItem name={rootRun} />
        {sandboxes.map((sandbox) => (
          <RunItem key={sandbox.name} name={sandbox.name} sandbox={sandbox} />
        ))}
      </ul>
    </nav>
  )
}

function RunItem({ name, sandbox }: { name: string; sandbox?: SandboxSummary }) {
  const state = sandbox ? stateOf(sandbox) : snapshot ? 'ended' : 'live'
  const title = sandbox?.title ?? name
  return (
    <li>
      <a
        class="row"
        href={linkTo('requests', { ...route.value.query, run: name, id: undefined })}
        aria-current={name === shownRun.value ? 'true' : undefined}
        title={title}
      >
        <Sign kind={kinds[state]} isCut>
          <bdi>{title}</bdi>
        </Sign>
        {sandbox && (
          <span class="quiet">
            {`${state}, ${counted(sandbox.requests, 'request')}`}
            {isViolated(sandbox) && [', ', <b class="bad">{counted(sandbox.violations, 'violation')}</b>]}
          </span>
        )}
      </a>
    </li>
  )
}
