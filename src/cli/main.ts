#!/usr/bin/env node
/**
 * The entry point of the command line. It refuses an old Node.js, which must be able to parse this file: so no static import, and no syntax
 * that is newer than `import()`.
 */

// oxlint-disable-next-line no-restricted-globals -- An old Node.js need not be able to parse `node-process.ts`.
const own = process

/** The oldest Node.js that `engines` of package.json allows. */
const [neededMajor, neededMinor] = [20, 19]

const [major = 0, minor = 0] = own.versions.node.split('.').map(Number)
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  own.stderr.write(
    `insights-double needs Node.js ${neededMajor}.${neededMinor} or newer, this is ${own.versions.node}.\n`,
  )
  own.exitCode = 2
} else {
  // Node 22 and later keep compiled code, which a second start uses.
  void import('node:module').then(function (module) {
    if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache()
    return import('./command-line.js')
  })
}
