/**
 * The records that a caller has access to.
 *
 * They are computed from the state and each record's `$access`. Requests as the caller would be recorded in the journal.
 */
import { baseUrl } from './api.js'
import { credentialArguments, quoted } from './curl-credentials.js'
import { arrange, byId, copyable, fillSelect, onChange, say } from './dom.js'
import { createDiff } from './view-diff.js'
import { createCard } from './view-record.js'

/** Number of records that are shown at first. */
const pageSize = 20

/** The option for all records. No caller can have this name. It is also the token that accepts any token. */
const everything = '*'

export function createStateView() {
  const select = byId('caller')
  const more = byId('more-records')
  const showDiff = createDiff()
  /** Elements by id, reused while the record does not change. */
  let cards = new Map()
  let state
  let records = []
  /** The list operation of the first collection whose path has no parameters. */
  let list
  let securitySchemes = []
  let marks = new Map()
  let shown = pageSize

  const card = ({ id, key, record }) => {
    const mark = marks.get(key)
    const text = JSON.stringify([record, mark])
    const known = cards.get(key)
    return known?.text === text ? known : { text, element: createCard(record, id, mark) }
  }

  const render = () => {
    if (!state) return
    const visible = records.filter(({ record }) => isVisible(record, select.value))
    const page = visible.slice(0, shown)
    cards = new Map(page.map((each) => [each.key, card(each)]))
    arrange(
      byId('records'),
      [...cards.values()].map(({ element }) => element),
    )
    const left = visible.length - page.length
    say(more, left > 0 ? `Show ${Math.min(left, pageSize * 5)} more of ${left}` : '')
    say(byId('state-summary'), summary(select.value, visible.length, records))
  }

  const choose = () => {
    shown = pageSize
    const caller = state.$callers?.[select.value]
    byId('state-curl').replaceChildren(
      ...(caller && list ? [copyable(listing(caller, list, securitySchemes), 'the command')] : []),
    )
    render()
  }

  select.addEventListener('change', choose)
  more.addEventListener('click', () => {
    const before = shown
    shown += pageSize * 5
    render()
    byId('records').children[before]?.querySelector('h3').focus()
  })

  return {
    /** Shows state and diff together, so that no card has a mark of another state. */
    show: onChange(({ contract, diff, document }) => {
      const { collections, operations } = contract
      const isNew = JSON.stringify(state?.$callers) !== JSON.stringify(document.$callers)
      state = document
      ;({ securitySchemes } = contract)
      list = operations.find(({ path, role }) => role === 'list' && !path.includes('{'))
      records = collections.flatMap(({ id, name }) =>
        (document[name] ?? []).map((record) => ({ id, key: `${name} ${String(record[id])}`, name, record })),
      )
      marks = new Map(
        Object.entries(diff.collections).flatMap(([name, { added, changed }]) => [
          ...added.map((id) => [`${name} ${id}`, 'added']),
          ...Object.keys(changed).map((id) => [`${name} ${id}`, 'changed']),
        ]),
      )
      showDiff(diff)
      if (!isNew) return render()
      fillSelect(select, [
        ...Object.entries(document.$callers ?? {}).map(([name, caller]) => ({
          value: name,
          text: tokenOf(caller) === everything ? `${name} (any other token)` : name,
        })),
        { value: everything, text: 'all records' },
      ])
      return choose()
    }),
  }
}

const isVisible = ({ $access: access }, caller) =>
  caller === everything || access === undefined || access.includes(caller)

function summary(caller, visible, records) {
  const names = new Set(records.map(({ name }) => name))
  const [name = 'records'] = names.size > 1 ? [] : names
  const all = `${records.length.toLocaleString('en')} ${name}`
  if (caller === everything) return `The state contains ${all}.`
  return `${caller} has access to ${visible.toLocaleString('en')} of ${all}.`
}

/** Returns the token of a caller: the first, if it has one for each security scheme. */
const tokenOf = ({ token, tokens = {} }) => token ?? Object.values(tokens)[0]

function listing(caller, { path, security = [] }, securitySchemes) {
  const ownToken = (name) => caller.token ?? caller.tokens?.[name]
  const names = security.find((combination) => combination.every((name) => ownToken(name) !== undefined)) ?? []
  // Any token that no other caller has is accepted.
  const { flags, query } = credentialArguments(
    securitySchemes.filter(({ name }) => names.includes(name)),
    (name) => (ownToken(name) === everything ? 'any-other-token' : ownToken(name)),
  )
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : ''
  return ['curl', ...flags, quoted(`${baseUrl}${path.slice(1)}${search}`)].join(' ')
}
