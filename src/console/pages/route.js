/** The fragment of the URL has the view and its query: `#requests?status=404`. So a reload, a bookmark and a link show the same. */

import { withQuery } from './api.js'
import { make } from './dom.js'

/** Maximum number of callers that get a link. */
const linkedCallers = 20

export function currentRoute() {
  const [view = '', search = ''] = location.hash.slice(1).split(/\?(.*)/su)
  return { view, query: Object.fromEntries(new URLSearchParams(search)) }
}

/** Returns the link to a view. Omits empty and undefined values. */
export const linkTo = (view, query = {}) => `#${withQuery(view, query)}`

/** Goes to a view. @param {{ replace?: boolean }} [options] - `replace`: the browser's history gets no entry. */
export function goTo(view, query, { replace = false } = {}) {
  const link = linkTo(view, query)
  if (!replace) {
    location.hash = link
    return
  }
  history.replaceState(null, '', link)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Creates a link to the API reference for each caller, which fills in its credentials. @param {string[]} callers - Their names. */
export const referenceLinks = (callers) => [
  ...(callers.length > 0 ? [' as'] : []),
  ...callers
    .slice(0, linkedCallers)
    .flatMap((name) => [' ', make('a', { href: `docs?caller=${encodeURIComponent(name)}` }, make('bdi', name))]),
]
