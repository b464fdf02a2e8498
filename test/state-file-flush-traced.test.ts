import { spawnSync } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import test from 'ava'

import { temporaryFolder } from './helpers/files.js'
import { as, del } from './helpers/http.js'
import { spawnDouble } from './helpers/spawn-double.js'

/** Lists the system calls in order. A response counts from its first byte. */
function callsIn(trace: string): readonly string[] {
  const begun = new Map<string, string>()
  return trace.split('\n').flatMap((line) => {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/u.exec(line) ?? []
    if (text.includes('"HTTP/1.1 204')) return ['reply 204']
    const [, start] = /^(.*) <unfinished \.\.\.>$/u.exec(text) ?? []
    if (start !== undefined) {
      begun.set(thread, start)
      return []
    }
    const isResumed = /^<\.\.\. \w+ resumed>/u.test(text)
    const call = isResumed ? (begun.get(thread) ?? '') : text
    const [, name = '', path = ''] = /^(fsync|fdatasync)\(\d+<([^>]*)>/u.exec(call) ?? []
    if (name !== '') return [`sync ${path}`]
    const names = /^rename(?:at2?)?\(/u.test(call) ? [...call.matchAll(/"([^"]*)"/gu)].map((match) => match[1]) : []
    return names.length === 2 ? [`rename ${names.join(' ')}`] : []
  })
}

test('the system calls show that file and folder are flushed before each acknowledgement', async (t) => {
  if (spawnSync('strace', ['-V']).status !== 0) {
    t.log('skipped: strace is not installed; state-file-flush.test.ts watches the same from within')
    t.pass()
    return
  }
  const folder = await realpath(await temporaryFolder(t))
  const file = join(folder, 'state.json')
  const trace = join(await temporaryFolder(t), 'trace')
  const calls = 'trace=fsync,fdatasync,rename,renameat,renameat2,write,writev,sendto,sendmsg'
  // With -D the started process is the double, which gets the signals.
  const under = ['strace', '-D', '-f', '-y', '-s', '32', '-e', calls, '-o', trace]
  await using double = await spawnDouble({ words: ['--state', file, '--log', 'silent'], under })
  const ids = ['monstera-watering', 'orchid-ice-cubes']
  for (const id of ids) t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  t.is(await double.end('SIGTERM'), 0)
  const all = callsIn(await readFile(trace, 'utf8'))
  const replies = all.flatMap((call, index) => (call === 'reply 204' ? [index] : []))
  t.is(replies.length, ids.length)
  let from = all.indexOf(`sync ${dirname(file)}`) + 1
  for (const reply of replies) {
    const before = all.slice(from, reply)
    const [temporary = '', taking = ''] =
      /^rename (\S+) (\S+)$/u.exec(before.find((call) => call.startsWith('rename ')) ?? '')?.slice(1) ?? []
    t.is(taking, file)
    t.deepEqual(before, [`sync ${temporary}`, `rename ${temporary} ${file}`, `sync ${folder}`])
    from = reply + 1
  }
})
