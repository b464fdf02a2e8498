/** The fragment of the URL has the view and its query: `#requests?run=checkout&id=7`. So a reload, a bookmark and a link show the same. */
import { computed, signal } from '@preact/signals'

import type { Explanation } from '../resources/explanation.js'
import { addQuery, pageRun } from './api.js'

/** The contract, and the names of the callers of the shown run. */
export type ViewProps = { readonly contract: Explanation; readonly callers: readonly string[] }

type Query = Readonly<Record<string, string | undefined>>

function readRoute(): { readonly view: string; readonly query: Query } {
  const [view = '', search = ''] = location.hash.slice(1).split(/\?(.*)/su)
  return { view: view || 'requests', query: Object.fromEntries(new URLSearchParams(search)) }
}

export const route = signal(readRoute())

addEventListener('popstate', () => {
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

/** Returns the link to the shown view with another query: the given values replace the present ones. */
export const linkWith = (changes: Query): string => linkTo(route.value.view, { ...route.value.query, ...changes })

/** Goes to a link of this page. @param replace - True: the browser's history gets no entry. */
export function goTo(link: string, replace = false): void {
  if (link === location.hash) return
  history[replace ? 'replaceState' : 'pushState'](null, '', link)
  route.value = readRoute()
}
