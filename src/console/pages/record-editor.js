/** The editor of one record as JSON. It edits, adds and removes the record, and can undo each change. */
import { ask, errorText, withQuery } from './api.js'
import { button } from './controls.js'
import { focusOr, make, nameValueList, showText } from './dom.js'
import { jsonTree } from './json-tree.js'
import { goTo } from './route.js'

export function createRecordEditor(app, close) {
  const title = make('h3', { tabindex: '-1' })
  const described = { 'aria-describedby': 'record-problem' }
  const text = make('textarea', { rows: '14', spellcheck: 'false', id: 'record-text', ...described })
  const problem = make('p.problem', { role: 'alert', id: 'record-problem', hidden: true })
  const result = make('p.good', { role: 'status', hidden: true })
  const about = make('div.stack')
  const save = button('Save', () => act(saveRecord), { class: 'primary' })
  const remove = button('Delete', () => act(removeRecord))
  const undo = button('Undo', () => act(undoLast), { hidden: true })
  const discard = button('Discard', discardText, { hidden: true })
  const element = make(
    'section.panel.detail',
    { 'aria-label': 'Record', hidden: true },
    make('div.head', title, button('Close', close)),
    make('label', { for: 'record-text' }, 'JSON'),
    text,
    problem,
    make('div.row', save, discard, remove, undo),
    result,
    about,
  )
  /** Edited texts that are not saved, with the versions of their records. */
  const drafts = new Map()
  let query = {}
  let model
  /** The record as it was read, or undefined for a new one. */
  let stored
  /** The text before it was edited. */
  let original = ''
  /** Undoes the last change: the collection, and a function. */
  let lastChange
  /** The edited record: the collection and the key. */
  let shown

  text.addEventListener('input', changedText)

  const act = (action) => void run(action).catch((error) => showText(problem, errorText(error)))

  /** Runs an action, and shows its error. Keeps the text. */
  async function run(action) {
    const pressed = document.activeElement
    try {
      await action()
    } catch (error) {
      showText(result, '')
      showText(problem, errorText(error))
      if (error.code === 'record_changed' && text.value !== original) await showCurrent()
    }
    // A hidden button cannot have the focus.
    if (pressed.getClientRects().length === 0) focusOr(title)
    app.refresh()
  }

  function changedText() {
    parsed()
    discard.hidden = text.value === original
    if (discard.hidden) drafts.delete(shown)
    else drafts.set(shown, { text: text.value, version: stored?.version })
  }

  function discardText() {
    text.value = original
    changedText()
    text.focus()
  }

  /** Shows a saved record, or the template of a new one. */
  function setText(value) {
    original = textOf(value)
    text.value = original
    discard.hidden = true
    drafts.delete(shown)
  }

  /** Parses the text. @returns Undefined if it is not JSON; then the problem is shown. */
  function parsed() {
    try {
      const value = JSON.parse(text.value)
      showText(problem, '')
      return value
    } catch (error) {
      showText(problem, `This is not JSON: ${error.message}.`)
      return undefined
    }
  }

  const path = (query_, resource = 'record') => withQuery(resource, { collection: model.name, ...query_ })

  async function saveRecord() {
    const value = parsed()
    if (value === undefined) return
    if (stored === undefined) {
      const added = await ask(path({}, 'records'), { method: 'POST', body: value })
      drafts.delete(shown)
      changed(`Added ${added.key}.`, async () => {
        await ask(path({ key: added.key, version: added.version }), { method: 'DELETE' })
        showText(result, `Removed ${added.key}.`)
        if (query.record === added.key) close()
      })
      goTo('state', { ...query, add: undefined, record: added.key })
      return
    }
    const { key, record, version } = stored
    const at = shown
    const saved = await ask(path({ key, version }), { method: 'PUT', body: value })
    adopt(at, saved)
    changed(`Saved ${key}.`, async () => {
      adopt(at, await ask(path({ key, version: saved.version }), { method: 'PUT', body: record }))
      showText(result, `${key} is as it was before.`)
    })
  }

  /** Shows the saved record, unless another record has been opened since. */
  function adopt(at, saved) {
    drafts.delete(at)
    if (shown !== at) return
    stored = saved
    showStored()
  }

  async function removeRecord() {
    const at = shown
    const { key, next, record } = await ask(path({ key: stored.key, version: stored.version }), { method: 'DELETE' })
    drafts.delete(at)
    changed(`Deleted ${key}. Undo restores it at the same position.`, async () => {
      await ask(path({ before: next ?? undefined }, 'records'), { method: 'POST', body: record })
      shown = undefined
      showText(result, `${key} is restored.`)
    })
    if (shown !== at) return
    stored = undefined
    for (const each of [save, discard, remove]) each.hidden = true
  }

  async function undoLast() {
    await lastChange.takeBack()
    lastChange = undefined
    undo.hidden = true
    showText(problem, '')
  }

  function changed(sentenceOfChange, takeBack) {
    lastChange = { collection: model.name, takeBack }
    undo.hidden = false
    showText(problem, '')
    showText(result, sentenceOfChange)
  }

  /** Shows the current record, which somebody else has changed. Save then replaces it. */
  async function showCurrent() {
    stored = await ask(path({ key: query.record }))
    original = textOf(stored.record)
    drafts.set(shown, { text: text.value, version: stored.version })
    about.replaceChildren(
      make('h4', 'The current record'),
      jsonTree(stored.record),
      make('p.quiet', 'Save replaces it.'),
    )
  }

  function showStored() {
    setText(stored.record)
    about.replaceChildren(nameValueList([['Access', accessOf(stored.record.$access)]]))
  }

  async function open() {
    showText(problem, '')
    // The record cannot be saved or deleted before it is loaded.
    stored = undefined
    for (const each of [save, discard, remove]) each.hidden = true
    const draft = drafts.get(shown)
    title.textContent = query.add === undefined ? query.record : `New record of ${model.name}`
    text.value = ''
    about.replaceChildren()
    try {
      if (query.add === undefined) {
        stored = await ask(path({ key: query.record }))
        showStored()
        remove.hidden = false
      } else {
        const { record } = await ask(path({}, 'record-template'))
        setText(record)
        const hint = Object.hasOwn(record, model.id) ? '' : ` If it has no ${model.id}, the double fills it in.`
        about.replaceChildren(make('p.quiet', `From an example of the contract.${hint}`))
        showText(result, '')
      }
      save.hidden = false
    } catch (error) {
      showText(problem, errorText(error))
    }
    if (draft === undefined || save.hidden) return
    text.value = draft.text
    if (stored !== undefined) stored = { ...stored, version: draft.version }
    changedText()
    showText(result, 'This is your earlier edit. It is not saved.')
  }

  return {
    element,
    /** Returns the key of the shown record. Empty for a new one. */
    record: () => query.record ?? '',
    /** Shows the record that the query names. Does not replace an edited text. */
    async show(wanted, collection) {
      query = wanted
      model = collection
      const key = JSON.stringify([model.name, query.record, query.add])
      element.hidden = query.record === undefined && query.add === undefined
      element.parentElement?.classList.toggle('has-detail', !element.hidden)
      if (element.hidden) shown = undefined
      else if (key !== shown) {
        if (shown !== undefined && lastChange === undefined) showText(result, '')
        undo.hidden = lastChange?.collection !== model.name
        shown = key
        await open()
        title.focus()
      } else if (stored !== undefined && text.value === original) await followStored()
    },
  }

  /** Shows the changes of others, if the text is not edited. */
  async function followStored() {
    const present = await ask(path({ key: stored.key })).catch((error) => error)
    if (present instanceof Error) {
      showText(problem, errorText(present))
      save.hidden = true
      remove.hidden = true
      stored = undefined
    } else if (present.version !== stored.version) {
      stored = present
      showStored()
    }
  }
}

const textOf = (record) => JSON.stringify(record, null, 2)

const accessOf = (access) => {
  if (access === undefined) return 'every caller'
  return access.length === 0 ? 'no caller' : access.join(', ')
}
