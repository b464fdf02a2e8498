/**
 * The configuration of AVA. It is a file, and not a key of package.json, because it starts the processes that host doubles and commands, and
 * puts small files together (CONTRIBUTING.md, "What must hold, and what tests it").
 */
import { groupTestFiles } from './build/test/helpers/group-test-files.js'
import { startHosts } from './build/test/helpers/start-test-hosts.js'

// The tests run what users run.
await import('./bundle.js')

// oxlint-disable-next-line import/no-default-export -- AVA asks for one.
export default {
  concurrency: 5,
  environmentVariables: await startHosts(2),
  timeout: '10m',
  ...(await groupTestFiles()),
}
