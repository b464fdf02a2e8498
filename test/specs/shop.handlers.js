/** Issues a token, which then belongs to a caller. */
export const login = ({ state, body }) => {
  if (body.password !== 'open sesame') return { status: 401, body: { error: 401, message: 'The password is wrong.' } }
  const token = `${body.name}-session-token`
  return { body: { token }, state: { ...state, $callers: { ...state.$callers, [body.name]: { token } } } }
}

/** Cancels an order that is not shipped. */
export const cancelOrder = ({ state, path }) => {
  const order = state.orders.find(({ id }) => id === path.id)
  if (!order) return { status: 404, body: { error: 404, message: `There is no order ${path.id}.` } }
  if (order.state === 'shipped') return { status: 409, body: { error: 409, message: 'It was shipped.' } }
  const cancelled = { ...order, state: 'cancelled' }
  const { $access, ...body } = cancelled
  return { body, state: { ...state, orders: state.orders.map((each) => (each === order ? cancelled : each)) } }
}

/** Sorts the list of the double. */
export const listOrders = ({ next, query }) => {
  const { body, ...response } = next()
  const sorted = body.toSorted((one, other) => one.item.localeCompare(other.item))
  if (query.sort === undefined) return next()
  return { ...response, body: query.sort === '-item' ? sorted.toReversed() : sorted }
}

/** Responds with 404 for one order. */
export const readOrder = ({ next, path }) =>
  path.id === 'secret' ? { status: 404, body: { error: 404, message: 'There is no order secret.' } } : next()

/** Creates several orders at once. */
export const createOrders = ({ state, body, caller }) => {
  const orders = body.map(({ item }) => ({ item, state: 'open', $access: [caller] }))
  return { body: { created: orders.length }, state: { ...state, orders: [...state.orders, ...orders] } }
}

/** An operation without operationId. */
export default { 'GET /weather': ({ next }) => ({ ...next(), body: { sky: `${next().body.sky} as always` } }) }
