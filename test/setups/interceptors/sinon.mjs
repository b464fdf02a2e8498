// A script, not a test file: Node's test runner needs the timers that this file replaces.
import assert from 'node:assert/strict'

import sinon from 'sinon'

const toFake = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
]
const [, , order] = process.argv
let clock = order === 'before' ? sinon.useFakeTimers({ toFake }) : undefined
const { noApp, useDouble } = await import('./use-double.mjs')
clock ??= sinon.useFakeTimers({ toFake })
const nearest = await useDouble(noApp)
clock.restore()
assert.equal(nearest, 0)
console.log(`fake timers installed ${order} the import: passes`)
