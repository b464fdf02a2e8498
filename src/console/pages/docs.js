/** The API reference: both contracts, as the double uses them now. */
import { ask, baseUrl, sentence } from './api.js'
import { createContract } from './docs-contract.js'
import { byId, make, say } from './dom.js'
import { admission } from './sign-in.js'

/** In the order in which they are shown. */
const names = ['service', 'control']

async function start() {
  say(byId('base'), `Base URL ${baseUrl.replace(/\/$/u, '')}`)
  await admission()
  const documents = await Promise.all(names.map((name) => ask(`spec?contract=${name}&format=json`)))
  const contracts = documents.map((document, index) => createContract(names[index], document))
  byId('contracts').replaceChildren(...contracts.map(({ element }) => element))
  byId('contracts').removeAttribute('aria-busy')
  showContents(contracts)
  addEventListener('hashchange', goToHash)
  // The place that the URL names was not there when the browser looked for it.
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
    // No place has a name that cannot be read.
  }
  byId(name)?.scrollIntoView()
}

start().catch((error) => say(byId('problem'), sentence(error)))
