/** "Try it": sends a request of an operation, and shows the response next to the documented one. */
import { ask, errorText } from './api.js'
import { createRequest } from './docs-create-request.js'
import { examplesOf, exampleText } from './docs-find-examples.js'
import { resolve } from './docs-resolve-reference.js'
import { sampleValue } from './docs-sample-value.js'
import { sendAndShow } from './docs-send-request.js'
import { button, field, fillSelect, make, showText, select } from './dom.js'

/** Creates the form. It is filled when the user opens it. An event stream has no form, because its response does not end. */
export function createTryIt(place, operation, body) {
  const responses = Object.values(operation.responses ?? {}).map((response) => resolve(place.document, response))
  if (responses.some(({ content = {} }) => Object.hasOwn(content, 'text/event-stream'))) return undefined
  const details = make('details', { class: 'try' }, make('summary', {}, 'Try it'))
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(createForm(place, operation, body))
  })
  return details
}

function createForm(place, operation, body) {
  const inputs = operation.parameters
    .filter((parameter) => parameter.in !== 'cookie')
    .map((parameter) => ({ parameter, input: parameterInput(place.document, parameter) }))
  const optional = inputs.filter(({ input, parameter }) => !parameter.required && input.value !== '')
  const clear = button('Clear optional parameters', () => {
    for (const { input } of optional) input.value = ''
  })
  const caller = place.name === 'service' && operation.security.length > 0 ? select({}, []) : undefined
  const sent = body && bodyInput(place.document, body)
  const problem = make('p', { class: 'problem', role: 'alert', hidden: true })
  const result = make('div', { class: 'stack', 'aria-live': 'polite' })
  const form = make(
    'form',
    { class: 'stack', novalidate: true, 'aria-label': `Try ${operation.id}` },
    make(
      'div',
      { class: 'fields' },
      caller && field('Caller', caller),
      ...inputs.map(({ input, parameter }) =>
        field(`${parameter.name}, ${parameter.in}${parameter.required ? ', required' : ''}`, input),
      ),
    ),
    sent?.element,
    make('div', { class: 'row' }, make('button', { class: 'primary' }, 'Send'), optional.length > 0 && clear),
    problem,
    result,
  )
  let callers = {}
  const loadCallers = async () => {
    callers = await ask('callers')
    const names = Object.keys(callers).map((name) => ({ value: name, text: name }))
    fillSelect(caller, [...names, { value: '', text: 'no credential' }])
    caller.value = names[0]?.value ?? ''
  }
  const showCallers = caller && loadCallers().catch((error) => showText(problem, errorText(error)))

  const send = async () => {
    showText(problem, '')
    try {
      await showCallers
      const values = inputs.map(({ input, parameter }) => ({ parameter, value: input.value }))
      const request = createRequest(place, operation, values, callers[caller?.value])
      if (sent && sent.text() !== '') {
        request.init.body = sent.text()
        request.init.headers.set('content-type', sent.mediaType())
      }
      result.replaceChildren(...(await sendAndShow(place, operation, request)))
    } catch (error) {
      showText(problem, errorText(error))
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  return form
}

/** Creates the input of a parameter, with its example. */
function parameterInput(document, parameter) {
  const schema = resolve(document, parameter.schema)
  const [example] = examplesOf({ ...parameter, schema })
  const value = example === undefined ? '' : exampleText(example.value)
  if (!Array.isArray(schema.enum)) return make('input', { autocomplete: 'off', value })
  const options = schema.enum.map((each) => ({ value: String(each), text: String(each) }))
  const input = select({}, parameter.required ? options : [{ value: '', text: 'not sent' }, ...options])
  if (options.some((each) => each.value === value)) input.value = value
  return input
}

/** Creates the input of a body, with an example of the contract or a sample of the schema. */
function bodyInput(document, { content = {} }) {
  const mediaTypes = Object.keys(content)
  const text = make('textarea', { rows: '8', spellcheck: 'false' })
  const chosen = select(
    {},
    mediaTypes.map((name) => ({ value: name, text: name })),
  )
  const examples = select({}, [])
  const list = () => {
    const { schema, ...media } = content[chosen.value] ?? {}
    const given = examplesOf({ ...media, schema: resolve(document, schema) })
    return given.length > 0 || schema === undefined
      ? given
      : [{ summary: 'Sample of the schema', value: sampleValue(document, schema) }]
  }
  const fill = () => {
    const { value } = list()[Number(examples.value)] ?? {}
    const isForm = chosen.value === 'application/x-www-form-urlencoded' && typeof value === 'object'
    text.value = value === undefined ? '' : isForm ? String(new URLSearchParams(value)) : exampleText(value)
  }
  const fillExamples = () => {
    fillSelect(
      examples,
      list().map(({ summary }, index) => ({ value: String(index), text: summary ?? `Example ${index + 1}` })),
    )
    fill()
  }
  chosen.addEventListener('change', fillExamples)
  examples.addEventListener('change', fill)
  fillExamples()
  const format = button('Format', () => {
    try {
      text.value = JSON.stringify(JSON.parse(text.value), null, 2)
      showText(problem, '')
    } catch (error) {
      showText(problem, `This is not JSON: ${error.message}. You can send it nevertheless.`)
    }
  })
  const problem = make('p', { class: 'warning', role: 'alert', hidden: true })
  return {
    element: make(
      'div',
      { class: 'stack' },
      make('div', { class: 'fields' }, field('Media type', chosen), field('Example', examples), format),
      field('Body', text),
      problem,
    ),
    mediaType: () => chosen.value,
    text: () => text.value,
  }
}
