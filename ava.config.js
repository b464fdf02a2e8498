/**
 * How AVA runs the tests. It is a file, and not a key of package.json, because it starts the processes that host doubles and commands
 * (CONTRIBUTING.md, "What must hold, and what tests it").
 */
import { startHosts } from './build/test/helpers/hosts.js'

/** Files that wait most of their time: they begin first, so that the others run meanwhile and none is left at the end. */
const first = ['slow-and-large', 'watch-survives', 'browser', 'types', 'recipes', 'large-state', 'started-by-npm']

const rank = (file) => {
  const index = first.findIndex((name) => file.endsWith(`/${name}.test.ts`))
  return index === -1 ? first.length : index
}

// oxlint-disable-next-line import/no-default-export -- AVA asks for one.
export default {
  concurrency: 3,
  environmentVariables: await startHosts(2),
  files: ['test/**/*.test.ts', '!test/setups/**'],
  sortTestFiles: (one, other) => rank(one) - rank(other) || one.localeCompare(other),
  timeout: '10m',
  typescript: { compile: false, rewritePaths: { 'test/': 'build/test/' } },
}
