/** The timeline: the runs, the requests of one, and one request in full. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { Explanation } from '../resources/explanation.js'
import { addQuery, ask, type RequestLine, type RequestLines, urlOf } from './api.js'
import { isEnded, refresh, version } from './live.js'
import {
  Button,
  Copyable,
  counted,
  FilterForm,
  moveByArrows,
  ProblemText,
  Select,
  Sign,
  sortedOnce,
  Status,
  TextField,
} from './parts.js'
import { RequestDetail } from './request.js'
import { goTo, linkTo, route, shownRun } from './route.js'
import { Runs } from './runs.js'

/** Number of requests that are listed at first, and that the button adds. */
const pageSize = 100

/** The most requests of a run that the page keeps. */
const maxLines = 5000

interface Lines extends RequestLines {
  readonly run: string
}

const noLines: RequestLines = { lines: [], matched: 0, total: 0, evicted: 0 }

/** Keeps the requests of the shown run: after each change, only the new ones are requested. */
function useLines(run: string): readonly [lines: RequestLines, error: unknown] {
  const [lines, setLines] = useState<Lines>()
  const [error, setError] = useState<unknown>()
  const current = useRef<Lines | undefined>(undefined)
  const changes = version.value
  useEffect(() => {
    let isWanted = true
    const load = async (): Promise<void> => {
      const known = current.current?.run === run ? current.current : undefined
      const after = known?.lines[0]?.id
      const all = async (): Promise<RequestLines> => ask(addQuery('request-lines', { limit: maxLines }), { run })
      const added =
        after === undefined
          ? undefined
          : await ask<RequestLines>(addQuery('request-lines', { after, limit: maxLines }), { run })
      // Fewer than before: the journal was cleared.
      const isCleared = known && added && added.total + added.evicted < known.total + known.evicted
      const next = !known || !added || isCleared ? await all() : { ...added, lines: [...added.lines, ...known.lines] }
      if (!isWanted) return
      current.current = { ...next, run, lines: withoutDropped(next) }
      setLines(current.current)
      setError(undefined)
    }
    load().catch((refusal: unknown) => isWanted && setError(refusal))
    return () => void (isWanted = false)
  }, [run, changes])
  return [lines?.run === run ? lines : noLines, error]
}

/** Leaves out the oldest lines, which the journal has dropped. It drops those with violations last. */
function withoutDropped({ lines, total }: RequestLines): readonly RequestLine[] {
  let excess = lines.length - total
  if (excess <= 0) return lines
  return lines
    .toReversed()
    .filter(({ verdict }) => verdict === 'violation' || excess-- <= 0)
    .toReversed()
}

/** The kinds of requests that a button selects, each with its test. */
const kinds: Readonly<Record<string, (line: RequestLine, isMocked: boolean) => boolean>> = {
  violations: ({ verdict }) => verdict === 'violation',
  '4xx': ({ status }) => status !== null && status >= 400 && status < 500,
  '5xx': ({ status }) => status !== null && status >= 500,
  mocked: (_, isMocked) => isMocked,
  faults: ({ fault }) => fault !== null,
}

/**
 * The time of the newest request when the list stopped to move: the pointer or the keyboard is in it, or a request is open. Undefined: it
 * follows.
 */
const heldAt = signal<string | undefined>(undefined)

export function RequestsView({ callers, contract }: { contract: Explanation; callers: readonly string[] }) {
  const run = shownRun.value
  const { query } = route.value
  const [all, error] = useLines(run)
  const [limit, setLimit] = useState(pageSize)
  const list = useRef<HTMLOListElement>(null)
  const { caller = '', id, kind = '', operation = '', q = '' } = query
  const mocked = new Set(contract.operations.filter(({ role }) => role === 'mocked').map((each) => each.operation))
  const isMocked = (line: RequestLine): boolean => mocked.has(line.operation ?? '')
  const needle = q.toLowerCase()
  const fits = (line: RequestLine): boolean =>
    (operation === '' || line.operation === operation) &&
    (caller === '' || line.caller === caller) &&
    (kinds[kind]?.(line, isMocked(line)) ?? true) &&
    [`${line.method} ${line.url}`, String(line.status), line.id].some((text) => text.toLowerCase().includes(needle))
  const { value: held = '~' } = heldAt
  const followed = all.lines.findIndex(({ time }) => time <= held)
  const start = followed === -1 ? all.lines.length : followed
  const matching = all.lines.filter(fits)
  const shown = all.lines.slice(start).filter(fits)
  const newer = matching.length - shown.length
  const hold = (isHeld: boolean): void => {
    const isBusy = list.current?.matches(':hover, :focus-within') === true || id !== undefined
    heldAt.value = isHeld || isBusy ? (heldAt.value ?? all.lines[0]?.time) : undefined
  }
  useEffect(() => void (heldAt.value = undefined), [run])
  useEffect(() => hold(id !== undefined), [id, run, all.total === 0])
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    goTo('requests', { ...query, ...changes }, true)
  const links = (): readonly HTMLElement[] => [...(list.current?.querySelectorAll('a') ?? [])]
  const close = (): void => {
    goTo('requests', { ...query, id: undefined })
    queueMicrotask(() => list.current?.querySelector<HTMLElement>(`[data-id="${id ?? ''}"]`)?.focus())
  }
  const reached = shown.some((line) => line.id === id) ? id : shown[0]?.id
  return (
    <div
      class={`timeline ${id === undefined ? '' : 'has-detail'}`}
      onKeyDown={({ key, target }) => {
        const isTyping = target instanceof Element && target.matches('input, select, textarea')
        if (key === 'Escape' && id !== undefined && !isTyping) close()
      }}
    >
      <Runs />
      <section class="panel" aria-label="Requests of the run">
        <FilterForm>
          <Select
            label="Operation"
            none="all"
            value={operation}
            options={contract.operations.map((each) => each.operation)}
            choose={(value) => set({ operation: value })}
          />
          <Select
            label="Caller"
            none="all"
            value={caller}
            options={sortedOnce([...callers, ...all.lines.flatMap((line) => line.caller ?? [])])}
            choose={(value) => set({ caller: value })}
          />
          <TextField label="Text" type="search" value={q} set={(text) => set({ q: text })} />
        </FilterForm>
        <div class="row" role="group" aria-label="Kinds">
          {Object.entries(kinds).map(([name, isKind]) => (
            <Button
              key={name}
              class="chip"
              aria-pressed={kind === name}
              press={() => set({ kind: kind === name ? undefined : name })}
            >
              {name} {all.lines.filter((line) => isKind(line, isMocked(line))).length}
            </Button>
          ))}
        </div>
        <ProblemText error={error} />
        <div class="row">
          <Summary text={describe(matching.length, all)} />
          {all.total > 0 && !isEnded.value && <Button press={() => removeAll(run)}>Delete the requests</Button>}
        </div>
        {newer > 0 && (
          <Button press={() => ((heldAt.value = all.lines[0]?.time), list.current?.scrollTo(0, 0))}>
            Show {newer.toLocaleString('en')} newer
          </Button>
        )}
        {all.total === 0 && error === undefined && <FirstSteps run={run} callers={callers} />}
        <ol
          ref={list}
          class="plain entries"
          aria-label="Requests, newest first"
          hidden={shown.length === 0}
          onPointerEnter={() => hold(true)}
          onPointerLeave={() => hold(false)}
          onFocusCapture={() => hold(true)}
          onBlurCapture={() => queueMicrotask(() => hold(false))}
          onKeyDown={(event) => moveByArrows(event, links())}
        >
          {shown.slice(0, limit).map((line) => (
            <Row
              key={line.id}
              line={line}
              isMocked={isMocked(line)}
              isOpen={line.id === id}
              isReached={line.id === reached}
            />
          ))}
        </ol>
        {shown.length > limit && (
          <Button press={() => setLimit(limit + pageSize)}>
            Show {counted(Math.min(pageSize, shown.length - limit), 'older request')}
          </Button>
        )}
      </section>
      {id !== undefined && (
        <RequestDetail key={`${run} ${id}`} id={id} contract={contract} callers={callers} close={close} />
      )}
    </div>
  )
}

/** Asks before it removes all requests of a run: they cannot be brought back. */
async function removeAll(run: string): Promise<void> {
  if (!confirm('The requests of the run cannot be brought back. The state stays as it is.')) return
  await ask('requests', { method: 'DELETE', run })
  refresh()
}

/** The summary of the list. Screen readers hear it at most once in five seconds. */
function Summary({ text }: { text: string }) {
  const [heard, setHeard] = useState(text)
  const last = useRef(text)
  last.current = text
  useEffect(() => {
    const timer = setInterval(() => setHeard(last.current), 5000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <p>{text}</p>
      <p class="visually-hidden" role="status">
        {heard}
      </p>
    </>
  )
}

function describe(matched: number, { evicted, total }: RequestLines): string {
  const gone = evicted === 0 ? '' : ` ${counted(evicted, 'older one was', 'older ones were')} dropped.`
  if (total === 0) return `No requests since the last reset or clearing.${gone}`
  if (matched === 0) return `None of ${counted(total, 'request')} matches the filter.${gone}`
  return matched === total
    ? `${counted(total, 'request')}.${gone}`
    : `${matched.toLocaleString('en')} of ${counted(total, 'request')}.${gone}`
}

interface RowProps {
  readonly line: RequestLine
  readonly isMocked: boolean
  readonly isOpen: boolean
  readonly isReached: boolean
}

function Row({ isMocked, isOpen, isReached, line }: RowProps) {
  const { caller, fault, id, method, status, time, url, verdict, warnings } = line
  const element = useRef<HTMLLIElement>(null)
  const { query } = route.value
  useEffect(() => {
    if (isOpen) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const base = `/sandboxes/${shownRun.value}`
  const target = `${method} ${url.startsWith(base) ? url.slice(base.length) : url}`.trim()
  return (
    <li ref={element}>
      <a
        href={linkTo('requests', { ...query, id: isOpen ? undefined : id })}
        data-id={id}
        aria-current={isOpen ? 'true' : undefined}
        tabIndex={isReached ? 0 : -1}
      >
        <Sign picture={verdict === 'ok' ? 'ok' : 'error'} class={verdict === 'ok' ? 'good' : 'bad'}>
          <span class="visually-hidden">{verdict}</span>
        </Sign>
        <Status status={status} />
        <span class="target">{target === '' ? 'a request that could not be parsed' : target}</span>
        <span class="marks">
          {fault !== null && (
            <Sign picture="fault" class="warn">
              fault
            </Sign>
          )}
          {warnings > 0 && (
            <Sign picture="warning" class="warn">
              {counted(warnings, 'warning')}
            </Sign>
          )}
          {isMocked && <span class="quiet">mocked</span>}
        </span>
        <bdi class="quiet">{caller ?? 'no caller'}</bdi>
        <time class="quiet" dateTime={time} title={time}>
          {new Date(time).toLocaleTimeString('en-GB')}
        </time>
      </a>
    </li>
  )
}

const FirstSteps = ({ callers, run }: { run: string; callers: readonly string[] }) => (
  <div class="stack">
    <p>
      Send requests to this base URL, or try an operation in the <a href={`${urlOf(run)}__admin/docs`}>API reference</a>
      {callers.length > 0 && ' as'}
      {callers.slice(0, 20).map((name) => (
        <>
          {' '}
          <a href={`${urlOf(run)}__admin/docs?caller=${encodeURIComponent(name)}`}>
            <bdi>{name}</bdi>
          </a>
        </>
      ))}
    </p>
    <Copyable label="the base URL" text={urlOf(run).replace(/\/$/u, '')} />
  </div>
)
