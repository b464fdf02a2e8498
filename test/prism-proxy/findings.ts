/** Sends requests through proxies, and keeps their findings. */
import { asList, asObject } from '../helpers/as-object-or-list.js'
import { type Content, exchange, type Headers, type Reply } from '../helpers/http.js'
import { printTable } from '../helpers/scripts.js'

export interface Call extends Content {
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

export const send = (base: string, { method, path, ...content }: Call): Promise<Reply> =>
  exchange(new URL(base + path), method, content)

export interface Checking {
  readonly name: string
  readonly url: string
}

interface Count {
  sent: number
  served: number
  /** Requests that Prism refused by itself. */
  refused: number
  /** Requests that Prism accepted and the double refused, because the double is stricter. */
  stricter: number
}

/** Returns the reason for which Prism responds itself: the last part of its problem's type. Undefined: it forwards the request. */
export const ownAnswer = ({ headers, text }: Reply): string | undefined =>
  headers['content-type']?.startsWith('application/problem+json')
    ? /errors#(\w+)$/u.exec(String(asObject(JSON.parse(text))['type']))?.[1]
    : undefined

/** The problem types with which Prism refuses a request. */
const refusals: ReadonlySet<string> = new Set(
  'UNPROCESSABLE_ENTITY UNAUTHORIZED NO_PATH_MATCHED_ERROR NO_METHOD_MATCHED_ERROR'.split(' '),
)

export class Findings {
  readonly wrong: string[] = []
  readonly #counts = new Map<string, Count>()

  /**
   * Sends a call through a proxy, and notes the errors that the proxy finds in the response, or that there is no response.
   *
   * @param statusAlone - Gives the status that the double has for the call without a proxy. Called only if Prism refuses the request.
   */
  async through(
    { name, url }: Checking,
    part: string,
    call: Call,
    statusAlone: () => number | Promise<number>,
  ): Promise<Reply | undefined> {
    const count = this.#counts.get(`${part}, ${name}`) ?? { sent: 0, served: 0, refused: 0, stricter: 0 }
    this.#counts.set(`${part}, ${name}`, count)
    const asked = `${name}: ${call.method} ${call.path} ${JSON.stringify(call.headers)}`
    const answer = await send(url, call).catch(() => undefined)
    if (!answer) {
      this.wrong.push(`${asked} gets no response`)
      return undefined
    }
    const shown = `${asked} → ${answer.status}`
    count.sent++
    if (answer.status < 400) count.served++
    const listed = answer.headers['sl-violations'] ?? '[]'
    // Prism cuts a long list, and writes a text before it. Only responses have so many violations.
    const isWhole = listed.startsWith('[')
    const aboutReply = isWhole
      ? asList(JSON.parse(listed)).filter((each) => asList(asObject(each)['location'])[0] === 'response')
      : [listed]
    if (aboutReply.length > 0) this.wrong.push(`${shown} ${JSON.stringify(aboutReply)}`)
    const own = ownAnswer(answer)
    if (own !== undefined && refusals.has(own)) {
      count.refused++
      // Prism compares the name of the scheme case-sensitively. In HTTP it is case-insensitive.
      const { authorization = '' } = call.headers
      if (own === 'UNAUTHORIZED' && /^bearer /iu.test(authorization) && !authorization.startsWith('Bearer '))
        return answer
      // Prism compares the names of query parameters case-insensitively.
      if (own === 'UNPROCESSABLE_ENTITY' && call.path.includes('Limit=')) return answer
      const alone = await statusAlone()
      if (alone < 400 || alone >= 500) this.wrong.push(`${shown} ${own}, but the double responds with ${alone}`)
    } else if (own !== undefined) this.wrong.push(`${shown} ${answer.text}`)
    else if (answer.status === 400 || answer.status === 401) count.stricter++
    return answer
  }

  sayCounts(): void {
    printTable([
      ['what', 'sent', 'served', 'refused by Prism', 'refused by the double alone'],
      ...[...this.#counts].map(([what, count]) => [what, ...Object.values(count).map(String)]),
    ])
  }
}
