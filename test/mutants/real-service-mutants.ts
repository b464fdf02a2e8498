/** Mutants of the requests to a real service, and of the use of its responses. */
import type { Mutant } from './mutant.js'

/** Mutants of `pull` and `verify`. */
export const realService: readonly Mutant[] = [
  {
    file: 'verify/probe-context.ts',
    search: 'isSafeMethod(operation.method) || this.permissions.has(operation.id)',
    replace: 'true',
    guarantee: 'verify only reads without permission',
    killedBy: ['verify'],
  },
  {
    file: 'verify/verify.ts',
    search: 'if (isEnded) return',
    replace: 'if (isEnded && unread.length === 0) return',
    guarantee: 'a service that has ended the run gets no further request',
    killedBy: ['misbehaving-services'],
  },
  {
    file: 'pull/service-client.ts',
    search: '!isLoopback(parsed.hostname)',
    replace: 'parsed.hostname === ""',
    guarantee: 'tokens are not sent unencrypted to another machine',
    killedBy: ['pull'],
  },
  {
    file: 'pull/send-request.ts',
    search: 'agent: false,',
    replace: '',
    guarantee: 'no request is sent on a connection that the service may be closing',
    killedBy: ['pull'],
  },
  {
    file: 'pull/read-listing.ts',
    search: 'isShifted ||= fresh.length > 0 && fresh.length < found.length',
    replace: '',
    guarantee: 'a pull says that records moved between pages',
    killedBy: ['pull-pages'],
  },
  {
    file: 'cli/flag-files.ts',
    search: '(await isSameFile(path, file))',
    replace: 'path === file && (await isSameFile(path, file))',
    guarantee: 'no output replaces a file that the command reads',
    killedBy: ['verify-command'],
  },
  {
    file: 'cli/flag-files.ts',
    search: 'await refuseInputFile(parsed, flag, path)',
    replace: '',
    guarantee: 'an output that the command reads is refused before the first request',
    killedBy: ['verify-command'],
  },
  {
    file: 'verify/edits.ts',
    search: "isSeq(kept?.get('actions')) && kept ? kept : new Document(overlay)",
    replace: "kept && !isSeq(kept.get('actions')) ? kept : new Document(overlay)",
    guarantee: '--apply keeps the comments of an overlay',
    killedBy: ['verify-command'],
  },
  {
    file: 'cli/flag-files.ts',
    search: 'await writeDurably(await realPath(file), [Buffer.from(text)])',
    replace:
      "await (file === '' ? writeDurably(file, []) : (await import('node:fs/promises')).writeFile(await realPath(file), text))",
    guarantee: 'an output has its old or its whole new content',
    killedBy: ['verify-command'],
  },
  {
    file: 'pull/sanitise.ts',
    search: 'const isKept = names.has(name) ||',
    replace: 'const isKept = name.length > 0 ||',
    guarantee: 'a sanitised fixture has no key of a map',
    killedBy: ['pull-sanitise'],
  },
  {
    file: 'pull/sanitise.ts',
    search: "if (typeof value === 'number') return this.#replacer.number(value, schema, variant)",
    replace: "if (typeof value === 'number') return value",
    guarantee: 'a sanitised fixture has no number',
    killedBy: ['pull-sanitise'],
  },
  {
    file: 'pull/stand-ins.ts',
    search: 'if (date !== undefined) return date',
    replace: 'if (date !== undefined) return value',
    guarantee: 'a sanitised fixture has no date',
    killedBy: ['pull-sanitise'],
  },
]
