/** One journal entry: a line that opens to show details. */
import { make } from './dom.js'

/** Creates the element. The details are created when it is first opened, because most entries never are. */
export function createEntry(entry) {
  const details = make('details', {}, make('summary', {}, line(entry)))
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(inside(entry))
  })
  return make('li', {}, details)
}

function line({ caller, fault, method, note, status, time, url, verdict, violations }) {
  const warnings = violations.filter(({ severity }) => severity === 'Warning').length
  const target = `${method} ${url}`.trim()
  return make(
    'span',
    { class: 'line' },
    make('time', { datetime: time, title: time }, clock(time)),
    make('span', { class: 'status' }, status ?? 'no response'),
    verdict === 'ok' ? icon('✓', 'ok', 'good') : icon('✗', 'violation', 'bad'),
    warnings > 0 && icon('⚠', warnings === 1 ? 'warning' : `${warnings} warnings`, 'warn'),
    fault !== null && icon('⚡', 'fault', 'warn'),
    note !== null && icon('✎', 'note', ''),
    make('bdi', {}, caller ?? 'no caller'),
    make('span', { class: 'target', title: target }, target === '' ? 'a request that could not be parsed' : target),
  )
}

const icon = (sign, text, name) =>
  make('span', { class: name }, make('span', { 'aria-hidden': 'true' }, `${sign} `), text)

function inside({
  caller,
  durationMs,
  fault,
  id,
  method,
  note,
  operation,
  preference,
  requestHeaders,
  sandbox,
  status,
  time,
  url,
  violations,
}) {
  return make(
    'div',
    { class: 'entry' },
    note !== null && make('p', { class: 'strong' }, 'Note: ', make('bdi', {}, note)),
    violations.length > 0 &&
      make('ul', { class: 'plain violations', 'aria-label': 'Violations' }, ...violations.map(violationItem)),
    pairs([
      ['Request', `${method} ${url}`],
      ['Status', status ?? 'no response was sent'],
      ['Operation', operation ?? 'none'],
      ['Caller', caller ?? 'none'],
      ['Fault', fault],
      ['Preference', preference],
      ['Time', time],
      ['Took', `${durationMs} ms`],
      ['Sandbox', sandbox],
      ['Id', id],
    ]),
    make('details', { open: true }, make('summary', {}, 'Request headers'), pairs(Object.entries(requestHeaders))),
  )
}

function violationItem({ code, location, message, severity }) {
  const isError = severity === 'Error'
  return make(
    'li',
    {},
    make(
      'p',
      {},
      icon(isError ? '✗' : '⚠', severity, isError ? 'strong bad' : 'strong warn'),
      ' ',
      make('bdi', {}, message),
    ),
    make('p', { class: 'quiet' }, make('bdi', {}, location.join(' › ')), `, code ${code}`),
  )
}

/** Creates a list of names and values. Null values are omitted. */
const pairs = (list) =>
  make(
    'dl',
    { class: 'pairs' },
    ...list
      .filter(([, value]) => value !== null)
      .flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, make('bdi', {}, value))]),
  )

/** Formats the local time of day, with milliseconds. */
function clock(time) {
  const moment = new Date(time)
  const part = (value, length = 2) => String(value).padStart(length, '0')
  return `${part(moment.getHours())}:${part(moment.getMinutes())}:${part(moment.getSeconds())}.${part(moment.getMilliseconds(), 3)}`
}
