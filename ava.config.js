/**
 * The configuration of AVA. It is a file, and not a key of package.json, because it starts the processes that host doubles and commands, and
 * puts small files together (CONTRIBUTING.md, "What must hold, and what tests it").
 */
import { build } from 'rolldown'

import { groupTestFiles } from './build/test/helpers/group-test-files.js'
import { startHosts } from './build/test/helpers/start-test-hosts.js'
import bundles from './rolldown.config.js'

// The tests run what users run.
for (const bundle of bundles) await build(bundle)

// oxlint-disable-next-line import/no-default-export -- AVA asks for one.
export default {
  concurrency: 5,
  environmentVariables: await startHosts(2),
  timeout: '10m',
  ...(await groupTestFiles()),
}
