/** The runs: the root and the sandboxes, each with its test, also those that are dropped. */
import { useEffect, useRef } from 'preact/hooks'

import type { SandboxSummary } from '../control/document-types.js'
import { rootRun } from './api.js'
import { mode, refresh, useData } from './live.js'
import { counted, moveByArrows, Sign } from './parts.js'
import { linkTo, route, shownRun } from './route.js'

/** The time after which the list of runs is requested again while there are sandboxes, milliseconds. */
const runsEveryMs = 2000

/** The sandboxes, also the dropped ones. */
export function useSandboxes(): readonly SandboxSummary[] {
  const { value = [] } = useData<readonly SandboxSummary[]>('sandboxes', { run: rootRun })
  return value
}

/** The runs: the root, the sandboxes that tests use, and the last that they have dropped. */
export function Runs() {
  const sandboxes = useSandboxes()
  const isAnyLive = sandboxes.some(({ droppedAt }) => droppedAt === undefined)
  useEffect(() => {
    if (!isAnyLive || mode.value === 'hidden') return undefined
    const timer = setInterval(() => mode.value === 'live' && refresh(), runsEveryMs)
    return () => clearInterval(timer)
  }, [isAnyLive])
  const isBad = ({ expectViolations, result, violations }: SandboxSummary): boolean =>
    result?.outcome === 'failed' || (violations > 0 && !expectViolations)
  const newest = sandboxes.toReversed()
  const sorted = [...newest.filter(isBad), ...newest.filter((each) => !isBad(each))]
  const list = useRef<HTMLUListElement>(null)
  const { query } = route.value
  const link = (run: string) => ({
    href: linkTo('requests', { ...query, run, id: undefined }),
    'aria-current': run === shownRun.value ? ('true' as const) : undefined,
  })
  return (
    <nav class="panel runs" aria-label="Runs">
      <h2>Runs</h2>
      <ul
        ref={list}
        class="plain"
        onKeyDown={(event) => moveByArrows(event, [...(list.current?.querySelectorAll('a') ?? [])])}
      >
        <li>
          <a {...link(rootRun)}>
            <Sign picture="live" class="good">
              root
            </Sign>
          </a>
        </li>
        {sorted.map((sandbox) => (
          <li key={sandbox.name}>
            <a {...link(sandbox.name)} title={sandbox.name}>
              <RunSign sandbox={sandbox} isBad={isBad(sandbox)} />
              <span class="quiet">
                {sandbox.requests}
                <span class="visually-hidden"> requests, {counted(sandbox.violations, 'violation')}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function RunSign({ isBad, sandbox }: { sandbox: SandboxSummary; isBad: boolean }) {
  const { droppedAt, name, result, title } = sandbox
  const state = result?.outcome ?? (droppedAt === undefined ? 'live' : 'ended')
  const picture = isBad ? 'error' : state === 'live' ? 'live' : state === 'passed' ? 'ok' : 'never'
  return (
    <Sign picture={picture} class={isBad ? 'bad' : state === 'passed' || state === 'live' ? 'good' : 'quiet'}>
      <bdi>{title ?? name}</bdi> <span class="visually-hidden">{state}</span>
    </Sign>
  )
}
