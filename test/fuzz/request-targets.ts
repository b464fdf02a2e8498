/** Request targets, from valid to absurd ones. */
import { METHODS } from 'node:http'

import type { RandomChoices } from './random-choices.js'

/** The sandboxes of a fuzzed double, without the root. */
export const sandboxNames = ['one', 'two'] as const

/** A method and a target. */
export interface Line {
  readonly method: string
  readonly target: string
}

const ids =
  'monstera-watering orchid-ice-cubes insight-1 never-was a constructor __proto__ toString . .. ~ _ - 0'.split(' ')
const oddities = [
  ...'% %0 %00 %0a %0d%0aX:%201 %1b%5b31m %2f %2F.. %2e%2e%2f %252f %25 %3f %23 %E0%A4%A %ff %C0%80 %ED%A0%80'.split(
    ' ',
  ),
  ...'%F0%9F%8C%B1 %e2%80%a8 %c2%9b31m %7f a,b a;b a=b a&b a+b a:b a@b {id} $ ! * ( ) [ ] | ^ ` " < > \\ '.split(' '),
].filter((text) => text !== '')
const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
const paths = [
  ...'/ /insights /INSIGHTS /insights/ //insights /insights// /./insights /../insights /insights/../insights'.split(
    ' ',
  ),
  ...'/insights;v=1 /insights.json /constructor /__proto__ /sandboxes /sandboxes/ /sandboxes/one /favicon.ico /__admins'.split(
    ' ',
  ),
]
const limits = [
  ...'1 2 5 100 2147483647 2147483648 99999999999999999999 0 -0 -1 +5 007 1.0 1e3 0x10 Infinity NaN null true abc'.split(
    ' ',
  ),
  ...'%31 %205 5%20 5%00 %D9%A5 1_000 1,000 [] {} constructor __proto__'.split(' '),
  '',
]
const names = [
  'limit',
  'LIMIT',
  'Limit',
  'limit[]',
  'limit[0]',
  'limit%5B%5D',
  '__proto__',
  '__proto__[x]',
  'constructor',
]
const pages = [
  ...'health state state/diff fixtures requests requests?status=404 requests?verdict=violation coverage faults'.split(
    ' ',
  ),
  ...'requests?atLeast=1&withinMs=3 requests?status=x requests?caller=__proto__ requests/none requests/%E0%A4%A'.split(
    ' ',
  ),
  ...'sandboxes docs spec spec?format=json spec?contract=control assets/console.js assets/none assets/..%2findex.html'.split(
    ' ',
  ),
  ...'nowhere state/ health/ HEALTH %68ealth requests/__proto__ assets/%00 ../insights'.split(' '),
  '',
]

/** Creates a request line for the service, valid or with any error. */
export function serviceLine(chance: RandomChoices): Line {
  const method = chance.happens(0.75)
    ? chance.pick(['GET', 'GET', 'GET', 'DELETE', 'DELETE', 'HEAD', 'OPTIONS'])
    : chance.pick(METHODS.filter((known) => known !== 'CONNECT'))
  return { method, target: within(chance, path(chance) + query(chance)) }
}

/** Creates a request line for the control plane that changes nothing, and whose response ends. */
export function controlLine(chance: RandomChoices): Line {
  const method = chance.pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'MKCOL'])
  const root = chance.happens(0.05) ? '/__admin' : '/__admin/'
  return { method, target: within(chance, root + (root.endsWith('/') ? chance.pick(pages) : '')) }
}

function path(chance: RandomChoices): string {
  const kind = chance.below(10)
  if (kind < 3) return '/insights'
  if (kind < 5) return `/insights/${chance.pick(ids)}`
  if (kind < 7) return `/insights/${chance.pick(ids)}${chance.pick(oddities)}`
  if (kind < 8) return chance.pick(paths)
  if (kind < 9) return `/${chance.text(visible.replace('?', ''), 1 + chance.below(30))}`
  return `/insights/${chance.text('ab%2fé'.replace('é', ''), chance.pick([127, 128, 129, 2000, 9000]))}`
}

function query(chance: RandomChoices): string {
  if (chance.happens(0.5)) return ''
  const pairs = Array.from({ length: 1 + chance.below(chance.happens(0.05) ? 200 : 4) }, () => {
    const name = chance.happens(0.7) ? 'limit' : chance.pick([...names, ...oddities, 'limt', 'access_token'])
    return chance.happens(0.1) ? name : `${name}=${chance.happens(0.9) ? chance.pick(limits) : chance.pick(oddities)}`
  })
  return `?${pairs.join(chance.pick(['&', '&', '&', '&&', ';', '?']))}`
}

/** Puts a target below a sandbox or into the absolute form, or returns it unchanged. */
function within(chance: RandomChoices, target: string): string {
  const kind = chance.below(12)
  if (kind < 3) return `/sandboxes/${chance.pick(sandboxNames)}${target}`
  if (kind === 3) return `/sandboxes/${chance.pick([...oddities, ...ids, 'root', '', '%6fne'])}${target}`
  if (kind === 4) return `${chance.pick(['http://localhost', 'HTTP://127.0.0.1:4010', 'https://[::1]:1'])}${target}`
  if (kind === 5 && chance.happens(0.3)) {
    const odd = [
      '*',
      'http://[/',
      'http:///x',
      'ftp://a/insights',
      '?limit=1',
      'insights',
      '#',
      'localhost:80',
      'http://a@b/x',
    ]
    return chance.pick([...odd, `${target}#top`])
  }
  return target
}
