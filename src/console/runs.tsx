/** The runs: the root and the sandboxes, each with its test, also those that are dropped. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import type { SandboxSummary } from '../control/document-types.js'
import { rootRun } from './api.js'
import { mode, refresh, useData } from './live.js'
import { Heard, moveByArrows, Sign } from './parts.js'
import { linkTo, route, shownRun } from './route.js'

/** The time after which the list of runs is requested again while there are sandboxes, milliseconds. */
const runsEveryMs = 2000

/** The sandboxes, also the dropped ones. */
export function useSandboxes(): readonly SandboxSummary[] {
  const { value = [] } = useData<readonly SandboxSummary[]>('sandboxes', { run: rootRun })
  return value
}

/** Tells whether clients have broken the contract, and no test expects that. */
const isViolated = ({ expectViolations, violations }: SandboxSummary): boolean => violations > 0 && !expectViolations

const isBad = (sandbox: SandboxSummary): boolean => sandbox.result?.outcome === 'failed' || isViolated(sandbox)

/** The runs: the root, the sandboxes that tests use, and the last that they have dropped. */
export function Runs() {
  const sandboxes = useSandboxes()
  const isAnyLive = sandboxes.some(({ droppedAt }) => droppedAt === undefined)
  useEffect(() => {
    if (!isAnyLive || mode.value === 'hidden') return undefined
    const timer = setInterval(() => mode.value === 'live' && refresh(), runsEveryMs)
    return () => clearInterval(timer)
  }, [isAnyLive])
  const newest = sandboxes.toReversed()
  return (
    <nav class="panel runs" aria-label="Runs">
      <h2>Runs</h2>
      <ul class="plain list" onKeyDown={moveByArrows}>
        <RunItem name={rootRun}>
          <Sign kind="live">root</Sign>
        </RunItem>
        {[...newest.filter(isBad), ...newest.filter((each) => !isBad(each))].map((sandbox) => (
          <RunItem key={sandbox.name} name={sandbox.name}>
            <RunSign sandbox={sandbox} />
            <span class="quiet">
              {sandbox.requests}
              <Heard> requests, </Heard>
              {isViolated(sandbox) && (
                <Sign kind="error">
                  {sandbox.violations}
                  <Heard> {sandbox.violations === 1 ? 'violation' : 'violations'}</Heard>
                </Sign>
              )}
            </span>
          </RunItem>
        ))}
      </ul>
    </nav>
  )
}

const RunItem = ({ children, name }: { name: string; children: ComponentChildren }) => (
  <li>
    <a
      class="apart"
      href={linkTo('requests', { ...route.value.query, run: name, id: undefined })}
      aria-current={name === shownRun.value ? 'true' : undefined}
      title={name}
    >
      {children}
    </a>
  </li>
)

const kinds = { live: 'live', passed: 'ok', failed: 'error', skipped: 'never', ended: 'never' } as const

function RunSign({ sandbox }: { sandbox: SandboxSummary }) {
  const { droppedAt, name, result, title } = sandbox
  const state = result?.outcome ?? (droppedAt === undefined ? 'live' : 'ended')
  return (
    <Sign kind={kinds[state]}>
      <bdi>{title ?? name}</bdi> <Heard>{state}</Heard>
    </Sign>
  )
}
