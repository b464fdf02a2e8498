/**
 * The state as an immutable value, and the views of it. Nothing here waits, reads or writes; a change makes a new state that shares
 * what did not change.
 */

/** An insight as the service sends it. Whatever further fields the contract has are carried along. */
export interface Insight {
  /** Identifies the insight. 1 to 128 of the characters `A-Za-z0-9._~-`. */
  readonly id: string
  /** The content of the insight. */
  readonly content: string
  /** Tag that specifies the type of the insight. */
  readonly tag?: string
  /** The title of the insight. */
  readonly title?: string
  /** The source of the insight. */
  readonly source?: string
  /** Date and time the insight was created: an RFC 3339 date-time. */
  readonly createdAt?: string
}

/** An insight together with who has access to it. */
export interface InsightRecord {
  readonly insight: Insight
  /** Names of callers. Undefined: every caller. */
  readonly access: readonly string[] | undefined
}

/** Somebody who may call the service. */
export interface Caller {
  readonly name: string
  /** The bearer token, or `*` for any token that no other caller has. */
  readonly token: string
}

/** All that the double knows of insights and callers. */
export interface State {
  readonly description: string | undefined
  /** In the order of the fixture, each name once. */
  readonly callers: readonly Caller[]
  /** In the order of the fixture, which is the order of a listing. */
  readonly insights: readonly InsightRecord[]
}

/** A state as a document: what a fixture file, the state file and the control plane hold. */
export interface FixtureDocument {
  /** For editors: the schema that this document follows. */
  readonly $schema?: string
  /** What the fixture is for, in a sentence. */
  readonly description?: string
  /** Callers by name. */
  readonly callers: Readonly<Record<string, { readonly token: string }>>
  /** In the order in which they are listed. */
  readonly insights: readonly FixtureInsight[]
}

/** An insight in a document. */
export interface FixtureInsight extends Omit<Insight, 'id'> {
  /** Default: `insight-` and its position, counted from 1. */
  readonly id?: string
  /** Names of callers. Default: every caller. */
  readonly access?: readonly string[]
}

/** What changed between two states, by insight id. */
export interface StateDiff {
  readonly removed: readonly string[]
  readonly added: readonly string[]
  readonly changed: readonly string[]
}

/** The token that stands for any token no other caller has. */
export const anyToken = '*'

/**
 * Makes a state of a document that is known to be right.
 *
 * @param document - Checked before: ids and tokens unique, access names known callers.
 */
export function toState(document: FixtureDocument): State {
  return Object.freeze({
    description: document.description,
    callers: Object.freeze(Object.entries(document.callers).map(([name, { token }]) => Object.freeze({ name, token }))),
    insights: Object.freeze(
      document.insights.map(({ access, id, ...fields }, index) =>
        Object.freeze({
          insight: Object.freeze({ id: id ?? `insight-${index + 1}`, ...fields }),
          access: access === undefined ? undefined : Object.freeze([...access]),
        }),
      ),
    ),
  })
}

/** Writes a state as a document: ids are always written out, and `toState` makes the same state of it. */
export function toDocument(state: State): FixtureDocument {
  return {
    ...(state.description === undefined ? {} : { description: state.description }),
    callers: Object.fromEntries(state.callers.map(({ name, token }) => [name, { token }])),
    insights: state.insights.map(({ insight, access }) => (access === undefined ? insight : { ...insight, access })),
  }
}

/** Writes a state as text, the same for the same state: what the state file holds and `GET /state` sends. */
export function toText(state: State): string {
  return `${JSON.stringify(toDocument(state), null, 2)}\n`
}

/** Finds the caller that a bearer token belongs to. */
export function callerWithToken(state: State, token: string): Caller | undefined {
  // The list of callers is never changed, only replaced; so what was worked out of it stays true.
  let byToken = tokens.get(state.callers)
  if (!byToken) tokens.set(state.callers, (byToken = new Map(state.callers.map((caller) => [caller.token, caller]))))
  return token === anyToken ? byToken.get(anyToken) : (byToken.get(token) ?? byToken.get(anyToken))
}

const tokens = new WeakMap<readonly Caller[], ReadonlyMap<string, Caller>>()

/** Whether a caller has access to an insight. */
export function hasAccess(record: InsightRecord, caller: Caller | undefined): boolean {
  return record.access === undefined || (caller !== undefined && record.access.includes(caller.name))
}

/**
 * The insights that a caller has access to, in order. The same frozen array for the same state, caller and limit.
 *
 * @param caller - Undefined where the contract demands no token: then only what every caller may see.
 * @param limit - The most to return, from 1. Default: all.
 */
export function visibleTo(state: State, caller: Caller | undefined, limit = Infinity): readonly Insight[] {
  let views = visible.get(state.insights)
  if (!views) visible.set(state.insights, (views = new Map()))
  const name = caller?.name ?? ''
  let view = views.get(name)
  if (!view) {
    const all = state.insights.filter((record) => hasAccess(record, caller)).map((record) => record.insight)
    views.set(name, (view = { all: Object.freeze(all), limited: new Map() }))
  }
  if (limit >= view.all.length) return view.all
  const limited = view.limited.get(limit) ?? Object.freeze(view.all.slice(0, limit))
  if (view.limited.size < maxLimitedViews) view.limited.set(limit, limited)
  return limited
}

interface View {
  readonly all: readonly Insight[]
  readonly limited: Map<number, readonly Insight[]>
}

/** How many limits a view is kept for. Clients use one or two page sizes; a client that counts up must not fill the memory. */
const maxLimitedViews = 16

const visible = new WeakMap<readonly InsightRecord[], Map<string, View>>()

/** The state without an insight. */
export function withoutInsight(state: State, id: string): State {
  return Object.freeze({
    ...state,
    insights: Object.freeze(state.insights.filter(({ insight }) => insight.id !== id)),
  })
}

/** What changed from one state to another. An insight is changed when anything of it is, its access included. */
export function diffStates(before: State, after: State): StateDiff {
  const old = new Map(before.insights.map((record) => [record.insight.id, record]))
  const current = new Map(after.insights.map((record) => [record.insight.id, record]))
  const isChanged = (id: string, record: InsightRecord): boolean => {
    const other = old.get(id)
    return other !== undefined && other !== record && canonical(other) !== canonical(record)
  }
  return {
    removed: [...old.keys()].filter((id) => !current.has(id)),
    added: [...current.keys()].filter((id) => !old.has(id)),
    changed: [...current].filter(([id, record]) => isChanged(id, record)).map(([id]) => id),
  }
}

/** A record as text that says the same for the same content, in whatever order it is written. */
function canonical({ access, insight }: InsightRecord): string {
  const fields = Object.entries(insight).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([fields, access?.toSorted() ?? null])
}
