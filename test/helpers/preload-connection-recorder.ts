/**
 * Loaded into a double before all other modules: records every looked-up name and every connection, and
 * refuses those of other machines. `CONNECTIONS_LOG` names the file.
 */
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'

const { CONNECTIONS_LOG: log = '' } = process.env
appendFileSync(log, 'loaded\n')

function note(what: string): void {
  appendFileSync(log, `${what}\n`)
}

const local = /^(?:localhost|127(?:\.\d+){3}|::1|0\.0\.0\.0|::)$/u

function refuseAway(what: string, host: string): void {
  note(`${what} ${host}`)
  if (!local.test(host)) throw new Error(`${what} ${host}: nothing may leave this machine`)
}

const { connect } = Socket.prototype
Object.assign(Socket.prototype, {
  connect(this: Socket, ...words: readonly unknown[]): Socket {
    const [first, second] = words.flat() as readonly unknown[]
    const isOptions = typeof first === 'object' && first !== null
    const { host = 'localhost', path } = isOptions ? (first as { host?: string; path?: string | null }) : {}
    // That of a request of `http` is null; another one is that of a pipe.
    if (typeof path !== 'string') refuseAway('connect', typeof second === 'string' ? second : host)
    return Reflect.apply(connect, this, words) as Socket
  },
})

const { send } = dgram.Socket.prototype
Object.assign(dgram.Socket.prototype, {
  send(this: dgram.Socket, ...words: readonly unknown[]): unknown {
    const address = words.find((word): word is string => typeof word === 'string' && /[.:]/u.test(word))
    refuseAway('send', address ?? 'somewhere')
    return Reflect.apply(send, this, words)
  },
})

for (const home of [dns, dns.promises])
  for (const [name, original] of Object.entries(home)) {
    if (typeof original !== 'function' || !/^(?:lookup|resolve|reverse)/u.test(name)) continue
    const asked = (...words: readonly unknown[]): unknown => {
      refuseAway(name, String(words[0]))
      return Reflect.apply(original as (...all: readonly unknown[]) => unknown, home, words)
    }
    Object.assign(home, { [name]: asked })
  }

syncBuiltinESMExports()
