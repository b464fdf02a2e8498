/** The timeline: the runs, the requests of one, and one request in full. */
import { useEffect, useRef } from 'preact/hooks'

import type { RequestLine, RequestLines } from '../control/page-types.js'
import { urlOf } from './api.js'
import { Button, Copyable, FilterForm, useFirst } from './controls.js'
import { change, isEnded, pagesUrl, refresh, refreshUnlessPaused, useData } from './live.js'
import { RequestDetail, targetOf } from './request.js'
import { goTo, linkTo, linkWith, route, shownRun, type ViewProps } from './route.js'
import { Runs, useSandboxes } from './runs.js'
import { counted, ProblemText, Sign, sortedOnce, Status, Summary } from './texts.js'

/** The most requests that the page lists: the newest ones. */
const maxLines = 5000

const noLines: RequestLines = { lines: [], total: 0, evicted: 0 }

/** The kinds of requests that a button selects, each with its test. */
const kinds: Readonly<Record<string, (line: RequestLine, isMocked: boolean) => boolean>> = {
  violations: ({ verdict }) => verdict === 'violation',
  '4xx': ({ status }) => status !== null && status >= 400 && status < 500,
  '5xx': ({ status }) => status !== null && status >= 500,
  mocked: (_, isMocked) => isMocked,
  faults: ({ fault }) => fault !== null,
}

export function RequestsView({ callers, contract }: ViewProps) {
  const { error, value: all = noLines } = useData<RequestLines>(`request-lines?limit=${maxLines}`)
  const list = useRef<HTMLOListElement>(null)
  /** The requests that the list shows, also those that the journal has dropped since. */
  const held = useRef<readonly RequestLine[]>([])
  const { caller = '', id, kind = '', operation = '', q = '', status = '' } = route.value.query
  const operations = contract.operations.map((each) => each.operation)
  const mocked = new Set(contract.operations.filter(({ role }) => role === 'mocked').map((each) => each.operation))
  const isMocked = (line: RequestLine): boolean => mocked.has(line.operation ?? '')
  const needle = q.toLowerCase()
  const fitsFields = (line: RequestLine): boolean =>
    (operation === '' || line.operation === operation) &&
    (caller === '' || line.caller === caller) &&
    (status === '' || String(line.status ?? 'none') === status) &&
    (line.fault === needle ||
      [`${line.method} ${line.url}`, String(line.status), line.id].some((text) => text.toLowerCase().includes(needle)))
  const fits = (line: RequestLine): boolean => fitsFields(line) && (kinds[kind]?.(line, isMocked(line)) ?? true)
  // The list stops to move while the pointer or the keyboard is in it, or a request is open or is being closed.
  const isClosing = document.querySelector('.detail:focus-within') !== null
  const isHeld = id !== undefined || isClosing || list.current?.matches(':hover, :focus-within') === true
  const listed = all.lines.find((line) => line.id === id)
  const isKept = listed !== undefined || all.total > all.lines.length
  // An open request that is newer than the list is a replay by this page.
  const newestHeld = held.current[0]?.time ?? ''
  if (!isHeld || all.total === 0 || newestHeld === '' || (listed?.time ?? '') > newestHeld) held.current = all.lines
  const newest = held.current[0]?.time ?? ''
  const matching = all.lines.filter(fits)
  const newer = matching.filter(({ time }) => time > newest).length
  const [shown, more] = useFirst(held.current.filter(fits), 50, (line) => line.id === id)
  const follow = (): void => {
    held.current = []
    refresh()
    list.current?.scrollTo(0, 0)
  }
  const callersSeen = all.lines.flatMap((line) => line.caller ?? [])
  const statuses = all.lines.map((line) => String(line.status ?? 'none'))
  const result = useSandboxes().find(({ name }) => name === shownRun.value)?.result
  return (
    <div class="columns timeline">
      <Runs />
      <section class="panel" aria-label="Requests of the run">
        <FilterForm
          fields={[
            { label: 'Operation', name: 'operation', none: 'all', options: operations },
            { label: 'Caller', name: 'caller', none: 'all', options: sortedOnce([...callers, ...callersSeen]) },
            { label: 'Status', name: 'status', none: 'all', options: sortedOnce(statuses) },
            { label: 'Text', name: 'q', type: 'search' },
          ]}
        />
        <div class="row" role="group" aria-label="Kinds">
          {Object.entries(kinds).map(([name, isKind]) => (
            <Button
              key={name}
              label={`${name} ${all.lines.filter((line) => fitsFields(line) && isKind(line, isMocked(line))).length}`}
              aria-pressed={kind === name}
              press={() => goTo(linkWith({ kind: kind === name ? undefined : name }), true)}
            />
          ))}
        </div>
        <ProblemText error={error} />
        {result?.message !== undefined && (
          <p class={result.outcome === 'failed' ? 'problem' : 'quiet'}>
            {result.outcome}: <bdi>{result.message}</bdi>
          </p>
        )}
        <Summary text={describe(matching.length, all)} />
        <div class="row">
          {all.total > 0 && !isEnded.value && <Button label="Delete all requests" press={removeAll} />}
          {/* It has its place also when there is none: nothing may move under the pointer. */}
          <span style={{ visibility: newer > 0 ? 'visible' : 'hidden' }}>
            <Button label={`Show ${newer.toLocaleString('en')} newer`} press={follow} />
          </span>
          {matching.length < all.lines.length && (
            <Button label="Clear the filter" press={() => goTo(linkTo('requests', { id }), true)} />
          )}
        </div>
        {all.total === 0 && error === undefined && !isEnded.value && <FirstSteps callers={callers} />}
        <ol
          ref={list}
          class="plain list entries"
          aria-label="Requests, newest first"
          hidden={shown.length === 0}
          onPointerLeave={refreshUnlessPaused}
        >
          {shown.map((line) => (
            <Row key={line.id} line={line} isMocked={isMocked(line)} isOpen={line.id === id} />
          ))}
        </ol>
        {more}
      </section>
      {id === undefined && <p class="quiet">A chosen request is shown here.</p>}
      {id !== undefined && <RequestDetail key={id} id={id} isKept={isKept} contract={contract} callers={callers} />}
    </div>
  )
}

/** Asks before it removes all requests of the run: they cannot be brought back. */
const removeAll = (): unknown =>
  confirm('The requests of the run cannot be brought back. The state stays as it is.') &&
  change('DELETE', 'requests').then(() => 'Deleted the requests.')

function describe(matched: number, { evicted, total }: RequestLines): string {
  const gone = evicted === 0 ? '' : ` ${counted(evicted, 'older one was', 'older ones were')} dropped.`
  if (total === 0) return `No requests since the last reset or clearing.${gone}`
  if (matched === 0) return `None of ${counted(total, 'request')} matches the filter.${gone}`
  const part = matched === total ? '' : `${matched.toLocaleString('en')} of `
  return `${part}${counted(total, 'request')}.${gone}`
}

/** One for all rows: to create one takes longer than to format a time. */
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

function Row({ isMocked, isOpen, line }: { line: RequestLine; isMocked: boolean; isOpen: boolean }) {
  const { caller, fault, id, status, time, verdict, warnings } = line
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isOpen) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const target = targetOf(line)
  return (
    <li ref={element}>
      <a class="row" href={linkWith({ id: isOpen ? undefined : id })} aria-current={isOpen ? 'true' : undefined}>
        <Sign kind={verdict === 'ok' ? 'ok' : 'error'} heard={verdict} />
        <Status status={status} />
        <span class="target cut" title={target}>
          {target}
        </span>
        {fault !== null && <Sign kind="fault">fault</Sign>}
        {warnings > 0 && <Sign kind="warning">{counted(warnings, 'warning')}</Sign>}
        {isMocked && <span class="quiet">mocked</span>}
        <bdi class="quiet">{caller ?? 'no caller'}</bdi>
        <time class="quiet" dateTime={time} title={time}>
          {timeFormat.format(new Date(time))}
        </time>
      </a>
    </li>
  )
}

const FirstSteps = ({ callers }: { callers: readonly string[] }) => (
  <div class="stack">
    <p class="row">
      Send requests to this base URL, or try an operation in the API reference {callers.length > 0 && 'as'}
      {callers.slice(0, 20).map((name) => (
        <a key={name} dir="auto" href={`${pagesUrl()}docs?caller=${encodeURIComponent(name)}`}>
          {name}
        </a>
      ))}
    </p>
    <Copyable label="the base URL" text={urlOf(shownRun.value).replace(/\/$/u, '')} />
  </div>
)
