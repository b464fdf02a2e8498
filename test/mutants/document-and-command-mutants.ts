/** Mutants of documents, the command line and the fixtures of test runners. */
import type { Mutant } from './mutant.js'

/** Documents, the command line and test runners. */
export const documentsAndCommands: readonly Mutant[] = [
  {
    file: 'documents/parse-json.ts',
    search: 'if (countKeys(value) !== keys)',
    replace: 'if (keys < 0)',
    guarantee: 'a repeated key is found',
    killedBy: ['invalid-fixture'],
  },
  {
    file: 'documents/resolve-yaml-aliases.ts',
    search: 'added > maxAddedValues',
    replace: 'added > 2 * maxAddedValues',
    guarantee: 'YAML aliases are limited',
    killedBy: ['invalid-spec'],
  },
  {
    file: 'documents/source.ts',
    search: 'maxYamlBytes = 8 *',
    replace: 'maxYamlBytes = 9 *',
    guarantee: 'the size of a file is limited',
    killedBy: ['invalid-fixture'],
  },
  {
    file: 'state/fixtures.ts',
    search: 'const file = files.get(name)',
    replace: 'const file = files.get(name) ?? `${folder}/${name}`',
    guarantee: 'the name of a fixture never becomes a path',
    killedBy: ['reset'],
  },
  {
    file: 'cli/exit-codes.ts',
    search: 'violations: 3',
    replace: 'violations: 1',
    guarantee: '--fail-on-violation exits with 3',
    killedBy: ['documents'],
  },
  {
    file: 'cli/exit-codes.ts',
    search: 'failure: 2',
    replace: 'failure: 1',
    guarantee: 'wrong usage exits with 2',
    killedBy: ['command-line'],
  },
  {
    file: 'cli/report/run-report.ts',
    search: "if (entry.verdict === 'ok') return",
    replace: '',
    guarantee: 'a report lists only violations',
    killedBy: ['run-report'],
  },
  {
    file: 'safe-text.ts',
    search: '/[\\p{Cc}',
    replace: '/[\\0-\\u001F',
    guarantee: 'no output has a control character',
    killedBy: ['log', 'safe-output'],
  },
  {
    file: 'safe-text.ts',
    search: '[\\\\`*_[\\]<>|~&]',
    replace: '[_]',
    guarantee: 'no report has markup from data',
    killedBy: ['safe-output'],
  },
  {
    file: 'cli/run.ts',
    search: "if (!(hasTerminal && signal === 'SIGINT')) send(signal)",
    replace: 'send(signal)',
    guarantee: 'Ctrl-C reaches the command of run once',
    killedBy: ['run-command'],
  },
  {
    file: 'sandbox/coverage.ts',
    search: "documented && !status.startsWith('5')",
    replace: 'documented',
    guarantee: 'statuses of 5xx do not count in the coverage',
    killedBy: ['run-report'],
  },
  {
    file: 'runners/test-sandbox.ts',
    search: "if (!hasFailed && violations === '') return undefined",
    replace: 'if (!hasFailed) return undefined',
    guarantee: 'a test whose client broke the contract fails',
    killedBy: ['runner-fixtures'],
  },
]
