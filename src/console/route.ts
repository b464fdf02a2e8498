/** The fragment of the URL has the view and its query: `#requests?run=checkout&id=7`. So a reload, a bookmark and a link show the same. */
import { computed, signal } from '@preact/signals'

import { pageRun, addQuery } from './api.js'

type Query = Readonly<Record<string, string | undefined>>

export interface ShownPlace {
  readonly view: string
  readonly query: Query
}

function readRoute(): ShownPlace {
  const [view = '', search = ''] = location.hash.slice(1).split(/\?(.*)/su)
  return { view, query: Object.fromEntries(new URLSearchParams(search)) }
}

export const route = signal(readRoute())

addEventListener('hashchange', () => {
  // The link "Skip to the content" does not name a view.
  if (location.hash !== '#content') route.value = readRoute()
})

/** The sandbox or the root whose requests and state the page shows. */
export const shownRun = computed(() => route.value.query['run'] ?? pageRun)

/** Returns the link to a view of the shown run. Leaves out empty and undefined values. */
export function linkTo(view: string, query: Query = {}): string {
  const run = shownRun.value === pageRun ? undefined : shownRun.value
  return `#${addQuery(view, { run, ...query })}`
}

/** Goes to a view. @param replace - True: the browser's history gets no entry. */
export function goTo(view: string, query: Query, replace = false): void {
  const link = linkTo(view, query)
  if (link === location.hash) return
  history[replace ? 'replaceState' : 'pushState'](null, '', link)
  route.value = readRoute()
}

addEventListener('popstate', () => (route.value = readRoute()))
