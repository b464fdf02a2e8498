/** The editor of one record as JSON. An edit that is not saved survives a reload of the page. */
import { useEffect, useRef, useState } from 'preact/hooks'

import { ask, RefusedError, addQuery } from './api.js'
import { refresh, useData } from './live.js'
import { Button, JsonTree, Pairs, ProblemText } from './parts.js'
import { goTo, route, shownRun } from './route.js'

/** A record as `GET /record` returns it, or the example of a new one. */
interface Stored {
  readonly key?: string
  readonly record: Readonly<Record<string, unknown>>
  readonly version?: string
}

/** An edited text that is not saved, with the version of its record. */
interface Draft {
  readonly text: string
  readonly version?: string | undefined
}

interface EditorProps {
  readonly collection: string
  /** The property that is the id. */
  readonly id: string
  /** Undefined: a new record. */
  readonly recordKey: string | undefined
  readonly isDropped: boolean
}

export function RecordEditor({ collection, id, isDropped, recordKey }: EditorProps) {
  const run = shownRun.value
  const { query } = route.value
  const isNew = recordKey === undefined
  const path = addQuery(isNew ? 'record-template' : 'record', { collection, key: recordKey })
  const { error: missing, value: stored } = useData<Stored>(path, { isFixed: isNew })
  const [draft, setDraft] = useDraft(`draft ${run} ${path}`)
  const [error, setError] = useState<unknown>()
  const [said, setSaid] = useState(draft === undefined ? '' : 'This is your earlier edit. It is not saved.')
  const title = useRef<HTMLHeadingElement>(null)
  const original = stored ? textOf(stored.record) : ''
  const text = draft?.text ?? original
  useEffect(() => title.current?.focus(), [])
  const edit = (next: string): void => {
    setDraft(next === original ? undefined : { text: next, version: draft?.version ?? stored?.version })
    setSaid('')
    setError(parseProblem(next))
  }
  const act = async (action: () => Promise<string>): Promise<void> => {
    try {
      setSaid(await action())
      setError(undefined)
    } catch (refusal) {
      setSaid('')
      setError(refusal)
      // The next save replaces the record that is shown.
      if (draft && refusal instanceof RefusedError && refusal.code === 'record_changed') setDraft({ text: draft.text })
    }
    refresh()
  }
  const close = (): void => goTo('state', { ...query, add: undefined, record: undefined })
  const save = async (): Promise<string> => {
    const problem = parseProblem(text)
    if (problem !== undefined) throw new RefusedError(0, null, problem)
    const body: unknown = JSON.parse(text)
    const version = draft?.version ?? stored?.version
    const saved = isNew
      ? await ask<Stored>(addQuery('records', { collection }), { run, method: 'POST', body })
      : await ask<Stored>(addQuery('record', { collection, key: recordKey, version }), { run, method: 'PUT', body })
    setDraft(undefined)
    if (isNew) goTo('state', { ...query, add: undefined, record: saved.key })
    return `Saved ${saved.key ?? ''}.`
  }
  const remove = async (): Promise<string> => {
    await ask(addQuery('record', { collection, key: recordKey, version: stored?.version }), { run, method: 'DELETE' })
    setDraft(undefined)
    close()
    return ''
  }
  const isChanged = draft !== undefined && draft.version !== stored?.version && !isNew
  const isGone = missing instanceof RefusedError && missing.status === 404
  return (
    <section
      class="panel detail"
      aria-label="Record"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return
        event.preventDefault()
        void act(save)
      }}
    >
      <div class="head">
        <h3 ref={title} tabIndex={-1}>
          {recordKey ?? `New record of ${collection}`}
        </h3>
        <Button press={close}>Close</Button>
      </div>
      {stored && (
        <>
          <label for="record-text">JSON</label>
          <textarea
            id="record-text"
            rows={14}
            spellcheck={false}
            readOnly={isDropped}
            aria-describedby="record-problem"
            value={text}
            onInput={({ currentTarget }) => edit(currentTarget.value)}
          />
        </>
      )}
      <div id="record-problem">
        <ProblemText error={error ?? missing} />
      </div>
      {stored && !isDropped && !isGone && (
        <div class="row">
          <Button class="primary" press={() => act(save)} aria-keyshortcuts="Control+S">
            Save
          </Button>
          {draft && <Button press={() => edit(original)}>Discard</Button>}
          {!isNew && <Button press={() => act(remove)}>Delete</Button>}
        </div>
      )}
      <p class="quiet" role="status">
        {said}
      </p>
      {stored && isChanged && (
        <>
          <h4>The current record</h4>
          <JsonTree value={stored.record} />
          <p class="quiet">Save replaces it.</p>
        </>
      )}
      {stored && !isNew && <Pairs list={[['Access', accessOf(stored.record['$access'])]]} />}
      {stored && isNew && (
        <p class="quiet">
          From an example of the contract.
          {!Object.hasOwn(stored.record, id) && ` If it has no ${id}, the double fills it in.`}
        </p>
      )}
    </section>
  )
}

/** Keeps a draft in the session storage, which the browser clears when the tab is closed. */
function useDraft(key: string): readonly [draft: Draft | undefined, set: (draft: Draft | undefined) => void] {
  const read = (): Draft | undefined => {
    const text = sessionStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as Draft)
  }
  const [draft, setDraft] = useState(read)
  return [
    draft,
    (next) => {
      if (next) sessionStorage.setItem(key, JSON.stringify(next))
      else sessionStorage.removeItem(key)
      setDraft(next)
    },
  ]
}

/** @returns Undefined: the text is JSON. */
function parseProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`
  }
}

const textOf = (record: object): string => JSON.stringify(record, null, 2)

function accessOf(access: unknown): string {
  if (!Array.isArray(access)) return 'every caller'
  return access.length === 0 ? 'no caller' : access.join(', ')
}
