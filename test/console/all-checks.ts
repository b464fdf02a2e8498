/** All checks of `npm run test:console`. */
import * as accessibility from './accessibility-checks.js'
import * as entry from './entry-checks.js'
import * as keyboard from './keyboard-checks.js'
import * as live from './live-checks.js'
import * as otherContract from './other-contract-checks.js'
import * as refusal from './refusal-checks.js'
import * as transferSize from './transfer-size-checks.js'
import * as tryIt from './try-it-checks.js'
import * as view from './view-checks.js'
import type { Check } from './with-double.js'

/** Every check with its title, in the order in which they run. */
export const checks: readonly (readonly [title: string, check: Check])[] = [
  ['axe, light', accessibility.accessible('light')],
  ['axe, dark', accessibility.accessible('dark')],
  accessibility.narrow('320 px', 320, 1),
  accessibility.narrow('1280 px and 200 % zoom', 640, 2),
  ['a selected request stays selected and visible while 1,000 requests a second arrive', live.selectedStays],
  ['the list follows 1,000 requests a second', live.listFollows],
  ['violations are marked at the field', entry.marks],
  ['a copied request gets the same response, as curl, as fetch and as a fault', entry.copies],
  ['the keyboard: requests', keyboard.requests],
  ['the keyboard: records', keyboard.records],
  ['the keyboard: faults, sandboxes and fixtures', keyboard.others],
  ['a fault that the contract does not have is refused at the form', refusal.faults],
  ['a record that somebody has changed, and a text that is not saved, are not lost', refusal.edits],
  ['10,000 records are paged, sorted and searched', view.tenThousand],
  ['records are deleted, put back, edited and added; a stale undo is refused', view.editing],
  ['filters are in the URL, and the coverage leads to requests', view.filtering],
  ['faults are added, counted and removed', view.faults],
  ['the state is saved as a fixture, and reset', view.fixtures],
  ['sandboxes are created, shown and dropped; an unknown one links to the root', view.sandboxes],
  ['the page is live again after a restart of the double', live.restart],
  ['the page is live again after an hour of sleep', live.sleeping],
  ['an idle page sends no request', live.idle],
  ['operations are tried in the selected sandbox', tryIt.tryIt],
  ['a request is filled from the examples of the contract', tryIt.prefilled],
  ['a copied request to the control plane runs as curl and as fetch, without the admin token', tryIt.copies],
  ['the page says that a fault has cut a response', tryIt.cut],
  ['collections with a slash, operations without an operationId and several credentials', otherContract.anyContract],
  ['a contract of 600 operations', otherContract.manyOperations],
  ['transfer sizes', transferSize.transfer],
]
