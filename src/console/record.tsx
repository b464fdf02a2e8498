/** The editor of one record as JSON. An edit that is not saved survives a reload of the page. */
import { useState } from 'preact/hooks'

import type { StoredRecord } from '../control/page-types.js'
import type { Explanation } from '../resources/explanation.js'
import { addQuery, hasCode, jsonFrom } from './api.js'
import { changeRecords, RequestsAbout } from './changes.js'
import { Button, closeDetail, Detail, Field, Form } from './controls.js'
import { JsonTree } from './json-tree.js'
import { change, isEnded, useData } from './live.js'
import { goTo, linkWith, shownRun } from './route.js'
import { ProblemText } from './texts.js'

/** An edited text that is not saved, with the version of its record. Without one, a save replaces any version. */
type Draft = { readonly text: string; readonly version?: string | undefined }

/** The example of a new record has neither a key nor a version. */
type Edited = Pick<StoredRecord, 'record'> & Partial<StoredRecord>

type EditorProps = { readonly model: Explanation['collections'][number]; readonly recordKey: string | undefined }

/** @param model - The collection. @param recordKey - Undefined: a new record. */
export function RecordEditor({ model: { id, name: collection }, recordKey }: EditorProps) {
  const isNew = recordKey === undefined
  const path = addQuery(isNew ? 'record-template' : 'record', { collection, key: recordKey })
  const { error: missing, value: stored } = useData<Edited>(path, { isFixed: isNew })
  const draftKey = `draft ${shownRun.value} ${path}`
  const [draft, showDraft] = useState(() => JSON.parse(sessionStorage.getItem(draftKey) ?? 'null') as Draft | null)
  const setDraft = (next: Draft | null): void => {
    // The browser clears the session storage when the tab is closed.
    sessionStorage.setItem(draftKey, JSON.stringify(next))
    showDraft(next)
  }
  const original = stored ? JSON.stringify(stored.record, null, 2) : ''
  const text = draft?.text ?? original
  const { version } = draft ?? stored ?? {}
  const edit = (next: string): void => setDraft(next === original ? null : { text: next, version })
  const save = async (): Promise<string> => {
    const body = jsonFrom(text, 'This')
    try {
      const [method, to] = isNew ? (['POST', 'records'] as const) : (['PUT', 'record'] as const)
      const saved = await change<StoredRecord>(method, addQuery(to, { collection, key: recordKey, version }), body)
      setDraft(null)
      if (isNew) goTo(linkWith({ add: undefined, record: saved.key }))
      return `Saved ${saved.key}.`
    } catch (refusal) {
      // The next save replaces the record that is shown.
      if (hasCode(refusal, 'record_changed')) setDraft({ text })
      throw refusal
    }
  }
  const remove = async (): Promise<string> => {
    await change('DELETE', addQuery('record', { collection, key: recordKey, version: stored?.version }))
    setDraft(null)
    closeDetail()
    return `Deleted ${recordKey ?? ''}.`
  }
  const hint = `From an example of the contract. The double fills in the ${id} if it is left out.`
  const isChanged = version !== stored?.version && !isNew
  const isGone = !isEnded.value && hasCode(missing, 'record_not_found')
  const canEdit = stored && !isEnded.value && !isGone
  return (
    <Detail label="Record" title={recordKey ?? `New record of ${collection}`}>
      {canEdit && (
        <Form
          button="Save"
          action={save}
          others={
            <>
              {draft && <Button label="Discard" press={() => setDraft(null)} />}
              {!isNew && <Button label="Delete" press={remove} />}
            </>
          }
        >
          <Field label="JSON" rows={14} value={text} set={edit} {...(isNew && { hint })} />
          <p class="quiet" role="status">
            {draft && 'Your edit. It is not saved. Ctrl+S saves it.'}
          </p>
        </Form>
      )}
      <ProblemText error={missing} />
      {isGone && <Button label="Restore" press={() => changeRecords(collection, 'restore', [recordKey ?? ''])} />}
      {canEdit && isChanged && <h4>The record has changed. {version ? 'It is now:' : 'Save replaces this:'}</h4>}
      {stored && (isChanged || !canEdit) && <JsonTree value={stored.record} />}
      {stored && !isNew && <RequestsAbout recordKey={recordKey} text="Requests with its id" />}
    </Detail>
  )
}
