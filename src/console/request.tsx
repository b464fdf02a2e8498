/** One request in full: why it got its response, what it changed, where it breaks the contract, and the next steps. */
import { useState } from 'preact/hooks'

import type { Replay } from '../control/page-types.js'
import type { ExplainedOperation, Explanation } from '../resources/explanation.js'
import type { BrokenRule, JournalEntry, RequestSummary } from '../sandbox/journal-entry.js'
import { addQuery, ask, rootUrl, snapshot } from './api.js'
import { RequestChanges } from './changes.js'
import { lineOf, ReferenceLink, roleText } from './contract.js'
import { Button, Copyable, copyText, Detail, Field } from './controls.js'
import { JsonTree, type Mark } from './json-tree.js'
import { isEnded, refresh, useData } from './live.js'
import { goTo, linkTo, linkWith, shownRun, type ViewProps } from './route.js'
import { Pairs, ProblemText, Sign, Status, ViolationText } from './texts.js'

/** The method and the target of a request, without the base path of its run. */
export function targetOf({ method, url }: Pick<RequestSummary, 'method' | 'url'>): string {
  const base = `/sandboxes/${shownRun.value}`
  const path = url.startsWith(base) ? url.slice(base.length) : url
  return `${method} ${path}`.trim() || 'a request that could not be parsed'
}

/** A report leaves the headers and bodies out if there is no room. */
type Shown = JournalEntry | RequestSummary

/** @param isKept - False: the journal has dropped the request since, so it can neither be replayed nor copied. */
export function RequestDetail({ callers, contract, id, isKept }: ViewProps & { id: string; isKept: boolean }) {
  // An entry does not change. It is shown although the journal has dropped it since.
  const { error, value: entry } = useData<Shown>(`requests/${encodeURIComponent(id)}`, { isFixed: true })
  const operation = contract.operations.find((each) => each.operation === entry?.operation)
  return (
    <Detail label="Selected request" title={entry ? targetOf(entry) : `Request ${id}`}>
      <ProblemText error={entry ? undefined : error} />
      {entry && (
        <>
          <p class="row">
            <Status status={entry.status} />
            <Sign kind={entry.verdict === 'ok' ? 'ok' : 'error'}>{entry.verdict}</Sign>
            {entry.fault !== null && (
              <a href={linkTo('faults')}>
                <Sign kind="fault">deliberate, by {entry.fault}</Sign>
              </a>
            )}
          </p>
          {!isKept && <p class="quiet">The double has dropped this request. Only this page still shows it.</p>}
          {!snapshot && isKept && <NextSteps id={id} callers={callers} caller={entry.caller} />}
          <Why contract={contract} entry={entry} operation={operation} />
          {'requestHeaders' in entry ? (
            <Exchange entry={entry} template={operation?.path} />
          ) : (
            <p class="quiet">Headers and bodies are left out of the report, because of its size.</p>
          )}
        </>
      )}
    </Detail>
  )
}

const restsOn = { agrees: 'evidence of the service', none: 'the contract', differs: 'nothing: evidence contradicts it' }

type WhyProps = { contract: Explanation; entry: Shown; operation: ExplainedOperation | undefined }

function Why({ contract, entry, operation }: WhyProps) {
  const rules = ('rules' in entry ? entry.rules : undefined) ?? []
  const { caller, durationMs, evidence, id, note, preference, time, url, variations, violations } = entry
  const name = operation?.operation
  return (
    <section aria-label="Why" class="stack">
      <h4>Why</h4>
      {violations.length > 0 && (
        <ul class="plain stack" aria-label="Violations and warnings">
          {violations.map(({ code, location, message, severity }, at) => (
            <li>
              <ViolationText severity={severity} message={message}>
                <p class="quiet">
                  <bdi>{location.join(' › ')}</bdi>, code {code}
                </p>
                {rules[at] && <RuleLines rule={rules[at]} />}
              </ViolationText>
            </li>
          ))}
        </ul>
      )}
      <Pairs
        list={[
          ['Operation', name === undefined ? 'none' : <a href={linkTo('contract', { operation: name })}>{name}</a>],
          ['Defined at', operation && <ReferenceLink of={operation} text={lineOf(operation)} />],
          ['Role', operation && roleText(operation, contract)],
          ['Rests on', evidence && restsOn[evidence]],
          ['Note', note],
          ['Target', url],
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

/** The lines of the contract around a broken rule, without their common indentation. A file of one line shows the schema instead. */
function RuleLines({ rule: { file, line, schema, source } }: { rule: BrokenRule }) {
  const { firstLine, lines } = source
  const indentation = Math.min(...lines.filter((text) => text.trim() !== '').map((text) => text.search(/\S/u)))
  const excerpt = lines.map((text, index) => {
    const shown = `${String(firstLine + index).padStart(5)}  ${text.slice(indentation)}\n`
    return firstLine + index === line ? <mark>{shown}</mark> : shown
  })
  return (
    <details open>
      <summary>by {lineOf({ file, line })}</summary>
      {lines.length > 1 ? <pre>{excerpt}</pre> : schema && <JsonTree value={schema} />}
    </details>
  )
}

function Exchange({ entry, template }: { entry: JournalEntry; template: string | undefined }) {
  const { changes, requestBody, requestHeaders, responseBody, responseHeaders, truncated, url, violations } = entry
  const at = (...start: readonly string[]): readonly Mark[] =>
    violations
      .filter(({ location }) => start.every((segment, index) => String(location[index]).toLowerCase() === segment))
      .map(({ location, message, severity }) => ({ path: location.slice(start.length), message, severity }))
  const path = template === undefined ? undefined : pathParametersIn(url, template)
  return (
    <>
      {Object.entries(changes ?? {}).map(([collection, changed]) => (
        <RequestChanges key={collection} collection={collection} changes={changed} />
      ))}
      {truncated.length > 0 && <p class="warning">Cut, because they are too long: {truncated.join(', ')}.</p>}
      <Part title="Path parameters" value={path} marks={at('request', 'path')} />
      <Part title="Query" value={queryIn(url)} marks={at('request', 'query')} />
      <Part title="Request body" value={requestBody} marks={at('request', 'body')} />
      <Part title="Response body" value={responseBody} marks={at('response', 'body')} />
      <Part title="Request headers" value={requestHeaders} marks={at('request', 'headers')} isClosed />
      <Part title="Response headers" value={responseHeaders} marks={at('response', 'headers')} isClosed />
    </>
  )
}

type PartProps = { title: string; value: unknown; marks: readonly Mark[]; isClosed?: boolean }

/** A part of the request or response. A missing one is shown only if it breaks the contract. */
const Part = ({ title, value = null, ...tree }: PartProps) =>
  value === null && tree.marks.length === 0 ? null : (
    <section aria-label={title}>
      <JsonTree name={title} value={value} {...tree} />
    </section>
  )

/** Returns the path parameters of a request target, which may begin with a base path. */
function pathParametersIn(url: string, template: string): Readonly<Record<string, string>> | undefined {
  const segments = (url.split('?')[0] ?? '').split('/')
  const names = template.split('/')
  const parameters = names.flatMap((name, index) =>
    /^\{.+\}$/u.test(name) ? [[name.slice(1, -1), segments.at(index - names.length) ?? '']] : [],
  )
  return parameters.length === 0 ? undefined : Object.fromEntries(parameters)
}

/** Returns the query parameters of a request target. A repeated one is a list. */
function queryIn(url: string): object | undefined {
  const parameters = new URLSearchParams(url.split(/\?(.*)/su)[1])
  const values = [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)] as const)
  if (values.length === 0) return undefined
  return Object.fromEntries(values.map(([name, all]) => [name, all.length > 1 ? all : all[0]]))
}

const noToken = 'without a token'

/** Sends the request again, copies it, or makes the next ones like it fail. */
function NextSteps({ caller, callers, id }: { id: string; caller: string | null; callers: readonly string[] }) {
  const [copy, setCopy] = useState<{ readonly format: string; readonly text: string }>()
  const [as, setAs] = useState('')
  const { value: known = {} } = useData<Readonly<Record<string, { readonly token?: string }>>>('callers')
  const path = `requests/${encodeURIComponent(id)}`
  const run = shownRun.value
  const replay = async (): Promise<string> => {
    const chosen = as === '' ? '' : `&caller=${as === noToken ? '' : encodeURIComponent(as)}`
    const { body, headers, method, url } = await ask<Replay>(`${path}?as=replay${chosen}`, run)
    const target = new URL(url.replace(/^\//u, ''), new URL('/', rootUrl))
    const isSent = method !== 'GET' && method !== 'HEAD'
    const response = await fetch(target, { method, headers, body: isSent ? body : null, redirect: 'manual' })
    await response.arrayBuffer()
    refresh()
    goTo(linkWith({ id: response.headers.get('x-request-id') ?? undefined }))
    return `Replayed. The response is ${response.status}.`
  }
  const copyAs = async (format: string): Promise<string> => {
    const text = await ask<string>(addQuery(path, { as: format }), run)
    setCopy({ format, text })
    // Where it is not copied, the text is shown.
    return (await copyText(text)) ? `Copied as ${format}.` : ''
  }
  const token = caller === null ? undefined : known[caller]?.token
  return (
    <section aria-label="Next steps" class="stack">
      {!isEnded.value && (
        <div class="row">
          {callers.length === 0 && <span class="quiet">The contract has no callers.</span>}
          {callers.length > 0 && (
            <Field
              label="Replay as"
              none={caller ?? noToken}
              value={as}
              options={[...callers, ...(caller === null ? [] : [noToken])].filter((name) => name !== caller)}
              set={setAs}
            />
          )}
          <Button label="Replay" class="primary" press={replay} />
          <a class="button" href={linkTo('faults', { from: id })}>
            Fail next like this
          </a>
        </div>
      )}
      <div class="row" role="group" aria-label="Copy as">
        <span class="quiet">Copy as</span>
        {['curl', 'fetch', 'vitest', 'playwright'].map((format) => (
          <Button key={format} label={format} aria-pressed={copy?.format === format} press={() => copyAs(format)} />
        ))}
        {isEnded.value && <span class="quiet">Its sandbox is gone: the copy needs another base URL.</span>}
      </div>
      {copy && <Copyable label={`the request as ${copy.format}`} text={copy.text} />}
      {copy && token !== undefined && <Copyable label={`the token of ${caller ?? ''}`} text={token} />}
    </section>
  )
}
