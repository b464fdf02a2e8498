/** One record as JSON: edited, added, removed, and each change undone. */
import { ask, sentence, withQuery } from './api.js'
import { button, make, pairs, say } from './dom.js'
import { goTo } from './route.js'

/** Creates the editor. */
export function createRecordEditor(app) {
  const title = make('h3', { tabindex: '-1' })
  const text = make('textarea', {
    rows: '14',
    spellcheck: 'false',
    id: 'record-text',
    'aria-describedby': 'record-problem',
  })
  const problem = make('p', { class: 'problem', role: 'alert', id: 'record-problem', hidden: true })
  const result = make('p', { class: 'good', role: 'status', hidden: true })
  const about = make('div', {})
  const save = button('Save', () => act(saveRecord), { class: 'primary' })
  const remove = button('Delete', () => act(removeRecord))
  const undo = button('Undo', () => act(undoLast), { hidden: true })
  const close = button('Close', () => goTo('state', { ...query, record: undefined, add: undefined }))
  const element = make(
    'section',
    { class: 'panel detail', 'aria-label': 'Record', hidden: true },
    make('div', { class: 'head' }, title, close),
    make('label', { for: 'record-text' }, 'JSON'),
    text,
    problem,
    make('div', { class: 'row' }, save, remove, undo),
    result,
    about,
  )
  let query = {}
  let model
  /** The record as it was read, or undefined for a new one. */
  let stored
  /** The undo of the last change: a sentence and a function. */
  let lastChange
  /** The edited record: the collection and the key. */
  let shown

  text.addEventListener('input', () => void parsed())

  /** Runs an action, and shows its error at the record. Nothing that was typed is lost. */
  function act(action) {
    action().then(
      () => app.refresh(),
      (error) => {
        say(result, '')
        say(problem, sentence(error))
      },
    )
  }

  /** Parses the text. @returns Undefined if it is not JSON; then the problem is shown. */
  function parsed() {
    try {
      const value = JSON.parse(text.value)
      say(problem, '')
      return value
    } catch (error) {
      say(problem, `This is not JSON: ${error.message}.`)
      return undefined
    }
  }

  const path = (query_) => withQuery('record', { collection: model.name, ...query_ })

  async function saveRecord() {
    const value = parsed()
    if (value === undefined) return
    if (stored === undefined) {
      const added = await ask(withQuery('records', { collection: model.name }), { method: 'POST', body: value })
      changed(`Added ${added.key}.`, async () => {
        await ask(path({ key: added.key, version: added.version }), { method: 'DELETE' })
        leave(`Removed ${added.key} again.`)
      })
      goTo('state', { ...query, add: undefined, record: added.key })
      return
    }
    const before = stored
    stored = await ask(path({ key: before.key, version: before.version }), { method: 'PUT', body: value })
    const { version } = stored
    text.value = textOf(stored.record)
    changed(`Saved ${before.key}.`, async () => {
      stored = await ask(path({ key: before.key, version }), { method: 'PUT', body: before.record })
      text.value = textOf(stored.record)
      say(result, `${before.key} is as it was before.`)
    })
  }

  async function removeRecord() {
    const { key, next, record } = await ask(path({ key: stored.key, version: stored.version }), { method: 'DELETE' })
    stored = undefined
    changed(`Deleted ${key}. Undo puts it back in its place.`, async () => {
      await ask(withQuery('records', { collection: model.name, before: next ?? undefined }), {
        method: 'POST',
        body: record,
      })
      shown = undefined
      say(result, `${key} is back.`)
    })
    save.hidden = true
    remove.hidden = true
  }

  async function undoLast() {
    const { collection, takeBack } = lastChange
    if (collection !== model.name) return
    await takeBack()
    lastChange = undefined
    undo.hidden = true
    say(problem, '')
  }

  function changed(sentenceOfChange, takeBack) {
    lastChange = { collection: model.name, takeBack }
    undo.hidden = false
    say(problem, '')
    say(result, sentenceOfChange)
  }

  function leave(sentenceOfChange) {
    say(result, sentenceOfChange)
    goTo('state', { ...query, add: undefined, record: undefined })
  }

  async function open() {
    say(problem, '')
    // Before the record is there, nothing can be saved or deleted.
    stored = undefined
    save.hidden = true
    remove.hidden = true
    if (query.add !== undefined) {
      save.hidden = false
      title.textContent = `New record of ${model.name}`
      text.value = '{}'
      about.replaceChildren()
      say(result, '')
      return
    }
    try {
      stored = await ask(path({ key: query.record }))
      title.textContent = stored.key
      text.value = textOf(stored.record)
      save.hidden = false
      remove.hidden = false
      about.replaceChildren(pairs([['Access', accessOf(stored.record.$access)]]))
    } catch (error) {
      title.textContent = query.record
      text.value = ''
      say(problem, sentence(error))
    }
  }

  return {
    element,
    /** Shows the record that the query names. What is being edited is not replaced. */
    async show(wanted, collection) {
      query = wanted
      model = collection
      const key = JSON.stringify([model.name, query.record, query.add])
      element.hidden = query.record === undefined && query.add === undefined
      element.parentElement?.classList.toggle('has-detail', !element.hidden)
      if (element.hidden) shown = undefined
      else if (key !== shown) {
        if (shown !== undefined && lastChange === undefined) say(result, '')
        undo.hidden = lastChange?.collection !== model.name
        shown = key
        await open()
        title.focus()
      } else if (stored !== undefined && text.value === textOf(stored.record)) await followStored()
    },
  }

  /** Shows what others have changed, if nothing is being edited. */
  async function followStored() {
    const present = await ask(path({ key: stored.key })).catch((error) => error)
    if (present instanceof Error) {
      say(problem, sentence(present))
      save.hidden = true
      remove.hidden = true
      stored = undefined
    } else if (present.version !== stored.version) {
      stored = present
      text.value = textOf(present.record)
    }
  }
}

const textOf = (record) => JSON.stringify(record, null, 2)

const accessOf = (access) => {
  if (access === undefined) return 'every caller'
  return access.length === 0 ? 'no caller' : access.join(', ')
}
