/** The API reference: both contracts, as the double serves them. */
import { ask, baseUrl, errorText } from './api.js'
import { createContractView } from './docs-contract-view.js'
import { byId, make, showText } from './dom.js'
import { signIn } from './sign-in.js'

/** The contracts, in the order of the page. */
const names = ['service', 'control']

async function start() {
  showText(byId('base'), `Base URL ${baseUrl.replace(/\/$/u, '')}`)
  await signIn()
  const documents = await Promise.all(names.map((name) => ask(`spec?contract=${name}&format=json`)))
  const contracts = documents.map((document, index) => createContractView(names[index], document))
  byId('contracts').replaceChildren(...contracts.map(({ element }) => element))
  byId('contracts').removeAttribute('aria-busy')
  showContents(contracts)
  addEventListener('hashchange', goToHash)
  // The anchor did not exist when the browser loaded the page.
  goToHash()
}

function showContents(contracts) {
  const details = make(
    'details',
    { open: matchMedia('(min-width: 62rem)').matches },
    make('summary', {}, 'Operations'),
    ...contracts.flatMap(({ links, title }) => [make('h2', {}, title), make('ul', { class: 'plain' }, ...links)]),
  )
  byId('contents').replaceChildren(details)
}

function goToHash() {
  let name = ''
  try {
    name = decodeURIComponent(location.hash.slice(1))
  } catch {
    // Invalid percent-encoding: there is no such anchor.
  }
  scrollTo(byId(name), 10)
}

/** Scrolls to an element. Repeats this for some frames, because other elements get their sizes only then, and move this one. */
function scrollTo(element, frames) {
  if (element === null || frames === 0) return
  element.scrollIntoView()
  requestAnimationFrame(() => scrollTo(element, frames - 1))
}

start().catch((error) => showText(byId('problem'), errorText(error)))
