/**
 * What the Insights service does: one pure function an operation, from state, caller and parameters to an answer.
 *
 * They know nothing of HTTP, files or libraries. A handler says what the next state would be; whether it comes about is not its to say.
 */
import type { ParameterValue } from '../contract/contract.js'
import type { DoubleError } from '../errors.js'
import { createError } from '../errors.js'
import type { Caller, State } from '../state/state.js'
import { hasAccess, visibleTo, withoutInsight } from '../state/state.js'

/** What a handler is given. */
interface HandlerInput {
  readonly state: State
  /** The state that the last reset went back to. */
  readonly before: State
  /** Undefined where the contract demands no token. */
  readonly caller: Caller | undefined
  /** The operation's parameters by name, converted to their types. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
}

/** What a handler answers: success, with the state it would lead to, or an error. */
type Answer =
  | {
      /** The body of the success reply. Undefined: it has none. */
      readonly body?: unknown
      /** Undefined: nothing changes. */
      readonly next?: State
    }
  | DoubleError

/** Serves one operation. */
export type Handler = (input: HandlerInput) => Answer

/** Handlers by operationId. Each must be an operation of the contract; an operation without one is mocked. */
export const handlers: ReadonlyMap<string, Handler> = new Map(Object.entries({ listInsights, deleteInsight }))

function listInsights({ state, caller, parameters }: HandlerInput): Answer {
  const { limit } = parameters
  return { body: visibleTo(state, caller, typeof limit === 'number' ? limit : undefined) }
}

function deleteInsight({ before, state, caller, parameters }: HandlerInput): Answer {
  const { id } = parameters
  const record = state.insights.find(({ insight }) => insight.id === id)
  if (record && hasAccess(record, caller)) return { next: withoutInsight(state, record.insight.id) }
  return createError('unknown_insight', undefined, {
    note: record ? `insight exists, but ${nameOf(caller)} has no access` : absence(before, id),
  })
}

const nameOf = (caller: Caller | undefined): string => (caller ? caller.name : 'a request without a token')

function absence({ insights }: State, id: ParameterValue | undefined): string {
  const wasThere = insights.some(({ insight }) => insight.id === id)
  return wasThere
    ? 'insight was deleted since the last reset'
    : 'an insight with this id never was, since the last reset'
}
