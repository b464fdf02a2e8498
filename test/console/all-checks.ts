/** The checks of the console and the API reference, each with its title, in the order in which they run. */
import * as accessibility from './accessibility-checks.js'
import * as entry from './entry-checks.js'
import { jobChecks } from './job-checks.js'
import * as keyboard from './keyboard-checks.js'
import * as live from './live-checks.js'
import * as otherContract from './other-contract-checks.js'
import * as reference from './reference-checks.js'
import * as refusal from './refusal-checks.js'
import * as view from './view-checks.js'
import type { Checks } from './with-double.js'

/** The checks of `npm test`. */
export const quickChecks: Checks = [
  ...jobChecks,
  ['violations are marked at the field', entry.marks],
  ['a copied request gets the same response, as curl, as fetch and as a fault', entry.copies],
  ['forced colours: what is chosen differs from what is not', accessibility.forcedColors],
  ['the keyboard: requests', keyboard.requests],
  ['the keyboard: records', keyboard.records],
  ['the keyboard: the reference', keyboard.reference],
  ['the keyboard: what has the focus is removed', keyboard.removed],
  ['a fault that the contract does not have is refused at the form', refusal.faults],
  ['a record that somebody has changed, and a text that is not saved, are not lost', refusal.edits],
  ['10,000 records are paged, sorted and searched', view.tenThousand],
  ['records are deleted, put back, edited and added; a stale undo is refused', view.editing],
  ['filters are in the URL, and the coverage leads to requests', view.filtering],
  ['faults are added, counted and removed', view.faults],
  ['the state is saved as a fixture, and reset', view.fixtures],
  ['sandboxes are shown, also dropped ones; an unknown one links to the root', view.sandboxes],
  ['the request of an ended test that broke the contract is two clicks away', view.runs],
  ['a request is sent again as another caller, and the next one fails like it', view.nextSteps],
  ['no row moves under the pointer when requests arrive', live.nothingMoves],
  ['a paused page stays as it is, also while a sandbox is live', live.paused],
  ['the page is live again after a restart of the double', live.restart],
  ['the page is live again after an hour of sleep', live.sleeping],
  ['the reference sends requests as a caller, in its sandbox', reference.authorized],
  ['the reference sends requests to the control plane, with the admin token', reference.controlPlane],
  ['the reference sends multipart bodies, arrays, cookies, and the credentials of the operation', reference.encoded],
  ['the reference runs no script of a contract', reference.safe],
  ['collections with a slash, operations without an operationId and several credentials', otherContract.anyContract],
  [
    'a contract without callers says what it needs, and its fixtures are written where they belong',
    otherContract.plants,
  ],
]

/** The checks of `npm run check`: they open every state, send load, or wait. */
export const longChecks: Checks = [
  ['axe, light', accessibility.accessible('light')],
  ['axe, dark', accessibility.accessible('dark')],
  accessibility.narrow('320 px', 320, 1),
  accessibility.narrow('1920 px', 1920, 1),
  accessibility.narrow('1280 px and 200 % zoom', 640, 2),
  ['newer requests are shown also after the selected one was dropped', live.newerAreShown],
  ['a selected request stays selected and visible while 1,000 requests a second arrive', live.selectedStays],
  ['the list follows 1,000 requests a second', live.listFollows],
  ['an idle page sends no request', live.idle],
  ['a contract of 600 operations', otherContract.manyOperations],
]

/** The checks of `npm run test:console`: all. */
export const checks: Checks = [...longChecks, ...quickChecks]
