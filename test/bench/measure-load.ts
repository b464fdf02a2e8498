/**
 * Sends requests for some seconds, as fast as the server responds, and counts them. Uses wrk if it is installed, else a Node process.
 *
 * Usage: node measure-load.js <url> <clients> <seconds>, which prints requests per second.
 */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Tells whether wrk is installed. */
export const hasWrk = ((): boolean => {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' })
    return true
  } catch (error) {
    // wrk prints its version and exits with 1.
    return error instanceof Error && 'status' in error && error.status === 1
  }
})()

const authorization = 'Authorization: Bearer ada-token'

/** Measures the requests per second, from a separate process. */
export async function requestsPerSecond(url: string, clients: number, seconds: number): Promise<number> {
  const own = [process.execPath, fileURLToPath(import.meta.url), url, `${clients}`, `${seconds}`]
  const wrk = ['wrk', '-t1', `-c${clients}`, `-d${seconds}s`, '-H', authorization, url]
  const [file = '', ...words] = hasWrk ? wrk : own
  const { stdout } = await promisify(execFile)(file, words)
  if (/Non-2xx/u.test(stdout)) throw new Error(stdout)
  return Number(/Requests\/sec:\s*([\d.]+)/u.exec(stdout)?.[1])
}

/** Sends requests on one connection, one after the other. @returns The number of responses. */
async function keepAsking(url: URL, until: number): Promise<number> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
  await once(socket, 'connect')
  const request = `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${authorization}\r\n\r\n`
  let count = 0
  let missing = 0
  socket.write(request)
  for await (const chunk of socket) {
    const bytes = Buffer.from(chunk)
    if (missing === 0) {
      const end = bytes.indexOf('\r\n\r\n')
      const head = bytes.toString('latin1', 0, end)
      if (end === -1 || !head.startsWith('HTTP/1.1 200')) throw new Error(`unexpected: ${head}`)
      missing = end + 4 + Number(/^content-length: (\d+)/imu.exec(head)?.[1])
    }
    missing -= bytes.length
    if (missing > 0) continue
    count++
    if (performance.now() >= until) break
    socket.write(request)
  }
  return count
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , url = '', clients = '32', seconds = '5'] = process.argv
  const until = performance.now() + Number(seconds) * 1000
  const counts = await Promise.all(Array.from({ length: Number(clients) }, () => keepAsking(new URL(url), until)))
  const total = counts.reduce((sum, count) => sum + count, 0)
  process.stdout.write(`Requests/sec: ${total / Number(seconds)}\n`)
}
