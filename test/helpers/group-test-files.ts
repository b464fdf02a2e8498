/** Groups small test files, so that one thread loads several: the start of a thread takes longer than most of their tests. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'

/**
 * The files of each group, with spaces between them. They do not block the thread, and declare their tests without waiting. Every other file has its own thread.
 *
 * A group has at most about 130 tests: all of them start at once, and more of them would delay the timers and sockets of the thread.
 */
const groups: Readonly<Record<string, string>> = {
  credentials: 'bearer-tokens credentials admin-token caller-isolation redacted-passwords sandbox-tokens cors',
  requests: 'json-bodies routes prefer-header',
  lists: 'limit-parameter list-insights query-parameter-effects parameter-decoding',
  errors: 'coverage error-bodies malformed-requests independent-validator',
  responses: 'fault-responses mocked-operations mocked-response-bodies response-validation',
  changes: 'delete-insight parallel-tests-are-isolated parallel-changes reset',
  control: 'control-records control-state events handle journal journal-bodies sandbox-addresses',
  pages: 'contributing page-headers',
  fixtures: 'fixtures invalid-fixture start-without-fixture',
  contracts: 'behaviour-follows-the-spec contract-styles invalid-spec',
  commands: 'remote-commands check-command command-line expected-violations explain-and-schema-commands',
  documents: 'document-limits large-contracts random-states regressions/dependency-defects state-must-match-contract',
  state: 'runner-fixtures second-double secrets state-file-flush',
  watches: 'watch',
  loading: `
    handlers invalid-options-are-refused overlay overrides pull
    pull-sanitise run-report safe-output verify verify-command verify-contracts
  `,
  connections: `
    faults pipelining regressions/half-closed-connections regressions/requests-after-the-last
    root-path-and-readiness-probes sandboxes
  `,
  processes: 'dependencies log copy-as-curl-fetch-or-fault serve-command spec-diagnostics state-file',
  resources: `
    resources/document resources/envelopes resources/filled-properties resources/inference resources/parents
    resources/query resources/records resources/roles
  `,
}

const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/u)

/**
 * The tests of the documents, of the types for users, and the long checks of the console. `npm run check` runs them: they use compilers, npm,
 * shells and test runners, send load or wait.
 */
const isRunByCheck = (name: string): boolean => /^(?:documents|types|console-long)/u.test(name)

/** The files that take longest. They start first, so that none runs alone at the end. */
const first =
  'stalled-process time-and-size-limits watch-replaced-folders browser console large-state started-by-npm'.split(' ')

export interface TestFiles {
  readonly files: readonly string[]
  readonly sortTestFiles?: (one: string, other: string) => number
  readonly typescript?: object
}

/** Groups the files of `npm test`, unless the command of AVA names or watches files: then AVA gets the sources, alone. */
export async function groupTestFiles(): Promise<TestFiles> {
  const isForSome = process.argv.some((word) => word.includes('.test.ts') || word === '--watch' || word === '-w')
  if (!isForSome) return groupBuiltFiles()
  // Finding the built file of a source takes a tenth of a second in each thread.
  const typescript = { compile: false, rewritePaths: { 'test/': 'build/test/' } }
  return { files: ['test/**/*.test.ts', '!test/setups/**'], typescript }
}

/**
 * Lists the built test files. Writes a file for each group, which imports those of the group.
 *
 * The names come from the sources: the folder of the build also has files of sources that were renamed since.
 */
async function groupBuiltFiles(): Promise<TestFiles> {
  const built = new URL('../../', import.meta.url)
  const folder = new URL('groups/', built)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const grouped = Object.entries(groups).map(async ([group, names]) => {
    const imports = namesIn(names).map((name) => `import '../test/${name}.test.js'\n`)
    await writeFile(new URL(`${group}.js`, folder), imports.join(''))
    return `build/groups/${group}.js`
  })
  const together = new Set(Object.values(groups).flatMap(namesIn))
  const alone = (await readdir(new URL('../test/', built), { recursive: true }))
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('setups'))
    .map((file) => file.replace(/\.test\.ts$/u, ''))
    .filter((name) => !together.has(name) && !isRunByCheck(name))
    .map((name) => `build/test/${name}.test.js`)
  const rank = (file: string): number => {
    const index = first.findIndex((name) => file.endsWith(`/${name}.test.js`))
    return index === -1 ? first.length : index
  }
  return {
    files: [...(await Promise.all(grouped)), ...alone],
    sortTestFiles: (one, other) => rank(one) - rank(other) || one.localeCompare(other),
  }
}
