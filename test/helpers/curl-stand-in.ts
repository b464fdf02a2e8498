/** Replaces curl if it is not installed. It supports the options that the README's commands use. */
import { request } from 'node:http'

interface Wish {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly showsHead: boolean
  readonly fails: boolean
  readonly retries: number
  readonly delayMs: number
}

function read(words: readonly string[]): Wish {
  const headers: Record<string, string> = {}
  const given = new Map<string, string>()
  const flags = new Set<string>()
  const queue = [...words]
  let url = ''
  for (let word = queue.shift(); word !== undefined; word = queue.shift())
    if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/su.exec(queue.shift() ?? '') ?? []
      headers[name] = value
    } else if (['-X', '-d', '--data-raw', '-u', '--retry', '--retry-delay'].includes(word))
      given.set(word, queue.shift() ?? '')
    else if (['--retry-connrefused', '--head', '-g', '--path-as-is'].includes(word)) flags.add(word)
    else if (/^-[sSfi]+$/u.test(word)) for (const letter of word.slice(1)) flags.add(letter)
    else if (word.startsWith('http:')) url = word
    else throw new Error(`"${word}" is not known to this curl`)
  const body = given.get('-d') ?? given.get('--data-raw')
  const user = given.get('-u')
  if (user !== undefined) headers['authorization'] = `Basic ${Buffer.from(user).toString('base64')}`
  return {
    url,
    method: given.get('-X') ?? (flags.has('--head') ? 'HEAD' : body === undefined ? 'GET' : 'POST'),
    headers,
    body,
    showsHead: flags.has('i'),
    fails: flags.has('f'),
    retries: flags.has('--retry-connrefused') ? Number(given.get('--retry') ?? 0) : 0,
    delayMs: Number(given.get('--retry-delay') ?? 1) * 1000,
  }
}

/** @returns The exit code of curl. */
function send(wish: Wish): Promise<number> {
  const { body, fails, headers, method, showsHead, url } = wish
  return new Promise((settle, reject) => {
    const asked = request(url, { method, headers, agent: false }, (reply) => {
      const { rawHeaders, statusCode = 0, statusMessage } = reply
      if (showsHead) {
        const fields = rawHeaders.flatMap((name, index) =>
          index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
        )
        process.stdout.write([`HTTP/1.1 ${statusCode} ${statusMessage}`, ...fields, '', ''].join('\r\n'))
      }
      const isFailure = fails && statusCode >= 400
      if (isFailure) reply.resume()
      else reply.pipe(process.stdout, { end: false })
      reply.once('end', () => settle(isFailure ? 22 : 0))
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

async function curl(wish: Wish): Promise<number> {
  try {
    return await send(wish)
  } catch (error) {
    if (wish.retries === 0) {
      process.stderr.write(`curl: (7) ${String(error)}\n`)
      return 7
    }
    await new Promise((resolve) => setTimeout(resolve, wish.delayMs))
    return curl({ ...wish, retries: wish.retries - 1 })
  }
}

process.exitCode = await curl(read(process.argv.slice(2)))
