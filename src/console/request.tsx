/** One request in full: why it got its response, what it changed, where it breaks the contract, and the next steps. */
import { useEffect, useRef, useState } from 'preact/hooks'

import type { ExplainedOperation, Explanation } from '../resources/explanation.js'
import type { JournalEntry, RequestSummary } from '../sandbox/journal-entry.js'
import { ask, rootUrl, snapshot, urlOf } from './api.js'
import { RequestChanges } from './changes.js'
import { isEnded, refresh, useData } from './live.js'
import {
  Button,
  Copyable,
  JsonTree,
  type Mark,
  Pairs,
  ProblemText,
  Select,
  Severity,
  Sign,
  Status,
  useAction,
} from './parts.js'
import { linkTo, shownRun } from './route.js'

interface DetailProps {
  readonly id: string
  readonly contract: Explanation
  readonly callers: readonly string[]
  readonly close: () => void
}

export function RequestDetail({ callers, close, contract, id }: DetailProps) {
  // An entry does not change. It is shown although the journal has dropped it since.
  const { error, value: entry } = useData<JournalEntry | RequestSummary>(`requests/${encodeURIComponent(id)}`, {
    isFixed: true,
  })
  const operation = contract.operations.find((each) => each.operation === entry?.operation)
  const element = useRef<HTMLElement>(null)
  // In a narrow window, the request is below the list.
  useEffect(() => {
    if ((element.current?.getBoundingClientRect().top ?? 0) > innerHeight - 200) element.current?.scrollIntoView()
  }, [])
  return (
    <section ref={element} class="panel detail" aria-label="Selected request">
      <div class="head">
        <h3 class="signature">
          <bdi>{entry && (`${entry.method} ${entry.url}`.trim() || 'A request that could not be parsed')}</bdi>
        </h3>
        <Button press={close}>Close</Button>
      </div>
      <ProblemText error={entry ? undefined : error} />
      {entry && (
        <>
          <p class="row">
            <Status status={entry.status} />
            {entry.verdict === 'ok' ? (
              <Sign picture="ok" class="good">
                ok
              </Sign>
            ) : (
              <Sign picture="error" class="bad">
                violation
              </Sign>
            )}
            {entry.fault !== null && (
              <Sign picture="fault" class="warn">
                deliberate, by {entry.fault}
              </Sign>
            )}
          </p>
          {!snapshot && <NextSteps id={id} callers={callers} caller={entry.caller} />}
          <Why entry={entry} operation={operation} />
          {'requestHeaders' in entry ? (
            <Exchange entry={entry} template={operation?.path} />
          ) : (
            <p class="quiet">Headers and bodies are left out of the report, because of its size.</p>
          )}
        </>
      )}
    </section>
  )
}

/** The link to an operation in the API reference, in the form of RapiDoc. */
export const referenceLink = ({ method, path }: ExplainedOperation): string =>
  `${urlOf(shownRun.value)}__admin/docs#${method.toLowerCase()}-${path.replaceAll(/[{}#?&=]/gu, '-')}`

/** The role of an operation, or the reason why it is mocked, as `explain` has them. */
export const roleText = ({ basis, reason, role }: ExplainedOperation): string =>
  role === 'mocked'
    ? `mocked, because ${reason ?? 'nothing of it is certain'}`
    : `${role}${basis === 'inferred' ? ', inferred' : ''}`

const restsOn = {
  agrees: 'evidence of the service',
  none: 'the contract only',
  differs: 'nothing: evidence contradicts it',
}

function Why({ entry, operation }: { entry: RequestSummary; operation: ExplainedOperation | undefined }) {
  const { caller, durationMs, evidence, id, note, preference, time, variations, violations } = entry
  const line = operation && `${operation.file ?? 'contract'}, line ${operation.line}`
  return (
    <section aria-label="Why" class="stack">
      <h4>Why</h4>
      {violations.length > 0 && (
        <ul class="plain violations" aria-label="Violations and warnings">
          {violations.map(({ code, location, message, severity }) => (
            <li>
              <p>
                <Severity severity={severity} /> <bdi>{message}</bdi>
              </p>
              <p class="quiet">
                <bdi>{location.join(' › ')}</bdi>, code {code}
              </p>
            </li>
          ))}
        </ul>
      )}
      <Pairs
        list={[
          [
            'Operation',
            operation ? (
              snapshot ? (
                operation.operation
              ) : (
                <a href={referenceLink(operation)}>{operation.operation}</a>
              )
            ) : (
              'none'
            ),
          ],
          [
            'Rule',
            operation &&
              (snapshot ? line : <a href={linkTo('contract', { operation: operation.operation })}>{line}</a>),
          ],
          ['Role', operation && roleText(operation)],
          ['Rests on', evidence && restsOn[evidence]],
          ['Note', note],
          ['Caller', caller ?? 'none'],
          ['Preference', preference],
          ['Varied', variations?.join(', ')],
          ['Time', `${time}, ${durationMs} ms`],
          ['Id', id],
        ]}
      />
    </section>
  )
}

function Exchange({ entry, template }: { entry: JournalEntry; template: string | undefined }) {
  const { changes, requestBody, requestHeaders, responseBody, responseHeaders, truncated, url, violations } = entry
  const at = (...start: readonly string[]): readonly Mark[] =>
    violations
      .filter(({ location }) => start.every((segment, index) => String(location[index]).toLowerCase() === segment))
      .map(({ location, message, severity }) => ({ path: location.slice(start.length), message, severity }))
  return (
    <>
      {Object.entries(changes ?? {}).map(([collection, changed]) => (
        <RequestChanges key={collection} collection={collection} changed={changed} />
      ))}
      {truncated.length > 0 && <p class="warning">Cut, because they are too long: {truncated.join(', ')}.</p>}
      <Part
        title="Path parameters"
        value={template === undefined ? undefined : pathParametersIn(url, template)}
        marks={at('request', 'path')}
      />
      <Part title="Query" value={queryIn(url)} marks={at('request', 'query')} />
      <Part title="Request body" value={requestBody} marks={at('request', 'body')} />
      <Part title="Response body" value={responseBody} marks={at('response', 'body')} />
      <Headers title="Request headers" value={requestHeaders} marks={at('request', 'headers')} />
      <Headers title="Response headers" value={responseHeaders} marks={at('response', 'headers')} />
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly value: unknown
  readonly marks: readonly Mark[]
}

/** A part of the request or response. A missing one is shown only if it breaks the contract. */
const Part = ({ marks, title, value }: PartProps) =>
  (value ?? undefined) === undefined && marks.length === 0 ? null : (
    <section aria-label={title}>
      <h4>{title}</h4>
      <JsonTree value={value ?? null} marks={marks} />
    </section>
  )

const Headers = ({ marks, title, value }: PartProps & { value: object }) =>
  Object.keys(value).length === 0 ? null : (
    <details open={marks.length > 0}>
      <summary>{title}</summary>
      <JsonTree value={value} marks={marks} />
    </details>
  )

/** Returns the path parameters of a request target, which may begin with a base path. */
function pathParametersIn(url: string, template: string): object | undefined {
  const segments = (url.split('?')[0] ?? '').split('/').toReversed()
  const parameters = template
    .split('/')
    .toReversed()
    .flatMap((name, index) => (/^\{.+\}$/u.test(name) ? [[name.slice(1, -1), segments[index] ?? ''] as const] : []))
  return parameters.length === 0 ? undefined : Object.fromEntries(parameters.toReversed())
}

/** Returns the query parameters of a request target. A repeated one is a list. */
function queryIn(url: string): object | undefined {
  const parameters = new URLSearchParams(url.split(/\?(.*)/su)[1])
  const names = [...new Set(parameters.keys())]
  const valueOf = (name: string): unknown => {
    const values = parameters.getAll(name)
    return values.length > 1 ? values : values[0]
  }
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, valueOf(name)]))
}

const copyFormats = ['curl', 'fetch', 'vitest', 'playwright'] as const

interface Replay {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Sends the request again, copies it, or makes the next ones like it fail. */
function NextSteps({ caller, callers, id }: { id: string; callers: readonly string[]; caller: string | null }) {
  const [error, run] = useAction()
  const [copy, setCopy] = useState<{ readonly format: string; readonly text: string }>()
  const [as, setAs] = useState('')
  const [replayed, setReplayed] = useState<{ readonly status: number; readonly id: string | null }>()
  const { value: known = {} } = useData<Readonly<Record<string, { readonly token?: string }>>>('callers')
  const path = `requests/${encodeURIComponent(id)}`
  const ofRun = { run: shownRun.value }
  const replay = async (): Promise<void> => {
    const query = as === '' ? '' : `&caller=${encodeURIComponent(as)}`
    const { body, headers, method, url } = await ask<Replay>(`${path}?as=replay${query}`, ofRun)
    const target = new URL(url.replace(/^\//u, ''), new URL('/', rootUrl))
    const response = await fetch(target, {
      method,
      headers,
      body: method === 'GET' || method === 'HEAD' ? null : body,
      redirect: 'manual',
    })
    await response.arrayBuffer()
    setReplayed({ status: response.status, id: response.headers.get('x-request-id') })
    refresh()
  }
  const token = caller === null ? undefined : known[caller]?.token
  return (
    <section aria-label="Next steps" class="stack">
      <div class="row end">
        {!isEnded.value && (
          <>
            <Select
              label="Replay as"
              none={caller ?? 'no caller'}
              value={as}
              options={callers.filter((name) => name !== caller)}
              choose={setAs}
            />
            <Button class="primary" press={() => run(replay)}>
              Replay
            </Button>
            <a class="button" href={linkTo('faults', { from: id })}>
              Fail next like this
            </a>
          </>
        )}
        <span class="row" role="group" aria-label="Copy as">
          {copyFormats.map((format) => (
            <Button
              key={format}
              aria-pressed={copy?.format === format}
              press={() => run(async () => setCopy({ format, text: await ask<string>(`${path}?as=${format}`, ofRun) }))}
            >
              {format}
            </Button>
          ))}
        </span>
      </div>
      <ProblemText error={error} />
      {replayed && (
        <p role="status">
          The response is <Status status={replayed.status} />.{' '}
          {replayed.id !== null && <a href={linkTo('requests', { id: replayed.id })}>Show the request</a>}
        </p>
      )}
      {copy && <Copyable label={`the request as ${copy.format}`} text={copy.text} />}
      {copy && token !== undefined && (
        <details>
          <summary>The value of the token of {caller}</summary>
          <Copyable label={`the token of ${caller ?? ''}`} text={token} />
        </details>
      )}
    </section>
  )
}
