/** Mutants of overrides, overlays and handlers. */
import type { Mutant } from './mutant.js'

/** Mutants of the parts that serve a team's own contract. */
export const overridesAndHandlers: readonly Mutant[] = [
  {
    file: 'contract/load-service.ts',
    search: 'resources.problems.length > 0',
    replace: 'resources.problems.length > 1000',
    guarantee: 'an x-double that cannot be applied is refused',
    killedBy: ['overrides'],
  },
  {
    file: 'resources/roles/create-record.ts',
    search: 'caller && caller !== everyone',
    replace: 'caller && everyone',
    guarantee: 'a record that is created with access: everyone belongs to every caller',
    killedBy: ['overrides'],
  },
  {
    file: 'contract/overlay/apply-overlay.ts',
    search: 'if (targets.length === 0)',
    replace: 'if (targets.length < 0)',
    guarantee: 'an action that targets nothing is a warning',
    killedBy: ['overlay'],
  },
  {
    file: 'contract/overlay/apply-overlay.ts',
    search: '      origins.removeItem(parent, key)',
    replace: '      void origins',
    guarantee: 'messages name the line of a value also after items were removed',
    killedBy: ['overlay'],
  },
  {
    file: 'http/call-user-handler.ts',
    search: 'next: next === call.state ? undefined : next }',
    replace: 'next: undefined }',
    guarantee: 'the state that a handler returns is committed',
    killedBy: ['handlers'],
  },
  {
    file: 'http/call-user-handler.ts',
    search: "typeof returned['then'] === 'function'",
    replace: "returned['then'] === 'function'",
    guarantee: 'a handler that returns a promise is a 500',
    killedBy: ['handlers'],
  },
  {
    file: 'resources/user-handlers/state-document.ts',
    search: 'const lastNumber = Math.max(before.lastNumber, records.lastNumber)',
    replace: 'const lastNumber = records.lastNumber',
    guarantee: 'the id of a record that a handler removed is not reused',
    killedBy: ['handlers'],
  },
  {
    file: 'resources/user-handlers/load-handlers.ts',
    search: "!== '[object Function]'",
    replace: "=== 'none'",
    guarantee: 'an async handler is refused at the start',
    killedBy: ['handlers'],
  },
]
