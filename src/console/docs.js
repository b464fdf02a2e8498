/** The API reference: RapiDoc shows a contract, with the base URL and the callers of the root or sandbox whose page this is. */
import { h, render } from 'preact'

import { adminToken, ask, errorText, pageRun, refusedTokens, rootUrl, urlOf } from './api.js'
import { SignIn } from './sign-in.js'

const baseUrl = urlOf(pageRun)

const byId = (id) => document.getElementById(id)

/** Sets the text of an element. Hides the element if the text is empty. */
function showText(element, text) {
  element.textContent = text
  element.hidden = text === ''
}

const reference = byId('content')
const query = new URLSearchParams(location.search)
const isControl = query.get('contract') === 'control'

const withoutSlash = (url) => url.replace(/\/$/u, '')

async function start() {
  showText(byId('base'), `Base URL ${withoutSlash(baseUrl)}`)
  document.querySelector(`[data-contract="${isControl ? 'control' : 'service'}"]`).setAttribute('aria-current', 'page')
  render(null, byId('sign-in'))
  // A short response that needs the admin token if the double requires one.
  await ask('faults')
  const contract = await ask(`spec?contract=${isControl ? 'control' : 'service'}&format=json`)
  const caller = isControl ? { tokens: { adminToken: adminToken() ?? undefined } } : chosenCaller(await ask('callers'))
  // RapiDoc has no navigation in a narrow window, unless it shows all operations below each other.
  const isWide = matchMedia('(min-width: 48rem)')
  const layOut = () => reference.setAttribute('render-style', isWide.matches ? 'focused' : 'view')
  isWide.addEventListener('change', layOut)
  layOut()
  reference.addEventListener('spec-loaded', ({ detail: { securitySchemes } }) => fillIn(securitySchemes, caller))
  reference.addEventListener('before-try', (event) => beforeRequest(event, contract.security ?? []))
  reference.addEventListener('after-try', ({ detail }) => afterRequest(detail))
  await reference.loadSpec(forRapiDoc(contract))
}

/** Shows the callers. Another choice loads the page again. @returns The caller in the URL, otherwise the first one. */
function chosenCaller(callers) {
  const names = Object.keys(callers)
  const name = query.get('caller') ?? names[0] ?? ''
  const list = byId('caller')
  list.replaceChildren(new Option('no credential', ''), ...names.map((each) => new Option(`as ${each}`, each)))
  list.value = Object.hasOwn(callers, name) ? name : ''
  list.addEventListener('change', () =>
    location.assign(`docs?caller=${encodeURIComponent(list.value)}${location.hash}`),
  )
  byId('callers').hidden = false
  if (name !== '' && !Object.hasOwn(callers, name)) showText(byId('note'), `There is no caller ${name}.`)
  return callers[name] ?? {}
}

/** Changes a contract so that RapiDoc shows all of it, and sends requests to this double. */
function forRapiDoc(contract) {
  const items = [contract.paths, contract.components?.pathItems].flatMap((each) => Object.values(each ?? {}))
  // In the contract of the control plane, a path with its own servers is served at the root only.
  const own = [{ url: withoutSlash(isControl ? rootUrl : baseUrl) }]
  for (const item of items) for (const node of [item, ...Object.values(item)]) if (node?.servers) node.servers = own
  contract.servers = [{ url: withoutSlash(baseUrl) }]
  wrapExamples(contract)
  return contract
}

/** Writes the examples of arrays as RapiDoc understands them: it takes an array for several examples. */
function wrapExamples(node) {
  if (typeof node !== 'object' || node === null) return
  for (const each of Object.values(node)) wrapExamples(each)
  const value = typeof node.in === 'string' && (node.example ?? node.schema?.example)
  if (!Array.isArray(value)) return
  delete node.example
  node.examples ??= { example: { value } }
}

/** Gives RapiDoc the tokens of a caller, by the names of the security schemes. */
function fillIn(schemes, { token, tokens = {} }) {
  for (const { scheme = 'Bearer', securitySchemeId: name, type } of schemes) {
    const given = tokens[name] ?? token
    if (given === undefined) continue
    // Any token that no other caller has is accepted.
    const value = given === '*' ? 'any-other-token' : given
    const [, user, password = ''] = /^([^:]*):?(.*)$/su.exec(value)
    if (type === 'http' && scheme.toLowerCase() === 'basic') reference.setHttpUserNameAndPassword(name, user, password)
    // RapiDoc writes the word `Bearer` itself, and no other.
    else if (type === 'apiKey' || (type === 'http' && scheme.toLowerCase() === 'bearer'))
      reference.setApiKey(name, value)
    else reference.setApiKey(name, `${scheme} ${value}`)
  }
}

/** The names of the cookies of the request that is being sent. */
let cookies = []

/** Changes a request of RapiDoc before it is sent. RapiDoc sends the credentials of all schemes to each operation, and no cookie. */
function beforeRequest(event, securityOfAll) {
  const [form] = event.composedPath()
  const { controller, request } = event.detail
  const { securitySchemes, tags } = reference.resolvedSpec
  const operation = tags
    .flatMap(({ paths }) => paths)
    .find(({ method, path }) => method === form.method && path === form.path)
  showText(byId('sent'), '')
  const notes = []
  if (Object.values(operation?.responses ?? {}).some(({ content }) => content?.['text/event-stream'])) {
    notes.push('The response of this operation does not end. Request it with curl -N.')
    controller.abort()
  }
  const schemes = securitySchemes.filter(({ finalKeyValue }) => finalKeyValue !== '')
  const sent = credentialsOf(operation?.security ?? securityOfAll, schemes)
  chooseCredentials(request, schemes, sent)
  separateByCommas(request, form)
  const inputs = [...form.shadowRoot.querySelectorAll('[data-ptype="cookie"]')]
  const given = [
    ...sent.filter((scheme) => scheme.in === 'cookie').map(({ finalKeyValue, name }) => [name, finalKeyValue]),
    ...inputs.map(({ dataset, value }) => [dataset.pname, String(value)]),
  ]
  for (const [name, value] of given)
    if (value !== '' && !setCookie(name, value))
      notes.push(`The browser does not let a page set the cookie ${name}. Send this request with curl.`)
  showText(byId('note'), notes.join('\n'))
}

/** Returns the schemes of the first requirement that has all of its credentials, otherwise those of any requirement. */
function credentialsOf(security, schemes) {
  const present = new Map(schemes.map((scheme) => [scheme.securitySchemeId, scheme]))
  const requirements = security.map((each) => Object.keys(each)).filter((names) => names.length > 0)
  const names = requirements.find((each) => each.every((name) => present.has(name))) ?? requirements.flat()
  return [...new Set(names)].flatMap((name) => present.get(name) ?? [])
}

/** Removes the credentials of all schemes from a request, except for those to send. */
function chooseCredentials(request, schemes, sent) {
  const headerOf = ({ in: place = 'header', name = 'Authorization' }) => (place === 'header' ? [name] : [])
  for (const name of schemes.flatMap(headerOf)) request.headers.delete(name)
  for (const scheme of sent) for (const name of headerOf(scheme)) request.headers.append(name, scheme.finalKeyValue)
  const unwanted = schemes.filter((scheme) => scheme.in === 'query' && !sent.includes(scheme))
  if (unwanted.length === 0) return
  const url = new URL(request.url)
  for (const { name } of unwanted) url.searchParams.delete(name)
  request.url = url.href
}

/** Separates the items of arrays by commas. RapiDoc encodes these, too, as if they were in the items. */
function separateByCommas(request, form) {
  const arrays = '[data-ptype="query"][data-array="true"][data-param-serialize-style="form"]'
  const joined = [...form.shadowRoot.querySelectorAll(`${arrays}[data-param-serialize-explode="false"]`)]
  const named = new Set(joined.map(({ dataset }) => String(new URLSearchParams([[dataset.pname, '']]))))
  request.url = request.url.replaceAll(/(?<=[?&])([^=&]*=)[^&]*/gu, (pair, name) =>
    named.has(name) ? pair.replaceAll('%2C', ',') : pair,
  )
}

/** Sets a cookie until the response. @returns False if the browser refuses it. */
function setCookie(name, value) {
  const cookie = `${name}=${encodeURIComponent(value)}`
  document.cookie = `${cookie}; path=/; SameSite=Strict`
  cookies.push(name)
  return document.cookie.split('; ').includes(cookie)
}

/** Removes the cookies, and links to the entry of the journal, which has the request as curl, as fetch and as a fault. */
function afterRequest({ response }) {
  for (const name of cookies) document.cookie = `${name}=; path=/; max-age=0`
  cookies = []
  const id = response?.headers.get('x-request-id')
  if (isControl || !id) return
  const href = `./#requests?id=${encodeURIComponent(id)}`
  const link = Object.assign(document.createElement('a'), { href, textContent: 'Show in the console' })
  byId('sent').replaceChildren(`Status ${response.status}. `, link)
  byId('sent').hidden = false
}

// RapiDoc reads the fragment of the URL as the name of an operation.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault()
  reference.focus()
})

/** Starts, again after the user has entered the admin token. */
function begin() {
  start().catch((error) => {
    if (refusedTokens.value > 0) render(h(SignIn, { onDone: begin }), byId('sign-in'))
    else showText(byId('problem'), errorText(error))
  })
}

begin()
