import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const maxHeads = 4096

/** The longest head that is kept, characters. */
const maxLength = 2000

/** Returns the query of a request target, without the question mark. */
export const queryOf = (url: string): string => /\?(.*)$/su.exec(url)?.[1] ?? ''

/** The head of a request as an immutable value. Clients repeat their heads, so what follows from one is kept with it. */
export class RequestHead {
  readonly method: string
  /** The request target as received. */
  readonly url: string
  readonly httpVersion: string
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly rawHeaders: readonly string[]
  /** All of it as a text, which differs for different heads. */
  readonly text: string
  readonly #known = new Map<unknown, { readonly from: readonly unknown[]; readonly value: unknown }>()

  constructor({ headers, httpVersion, method = '', rawHeaders, url = '' }: IncomingMessage, text: string) {
    this.method = method
    this.url = url
    this.httpVersion = httpVersion
    this.headers = Object.freeze(headers)
    this.rawHeaders = rawHeaders
    this.text = text
  }

  /** Returns what a function makes of this head and other immutable values: again if one of these is another. @throws Its error, which is not kept. */
  known<From extends readonly unknown[], T>(make: (head: RequestHead, ...from: From) => T, ...from: From): T {
    const kept = this.#known.get(make)
    if (kept?.from.every((each, at) => each === from[at])) return kept.value as T
    const value = make(this, ...from)
    this.#known.set(make, { from, value })
    return value
  }
}

export class RequestHeads {
  readonly #byText = new Map<string, RequestHead>()

  /** Returns the head of a request: the kept one if there is an equal one. */
  of(request: IncomingMessage): RequestHead {
    const { httpVersion, method, rawHeaders, url } = request
    const text = `${httpVersion} ${method} ${url}\n${rawHeaders.join('\n')}`
    return this.#byText.get(text) ?? new RequestHead(request, text)
  }

  /** Keeps a head for equal requests that follow. It must not have a credential that no caller has. */
  keep(head: RequestHead): void {
    if (head.text.length > maxLength || this.#byText.has(head.text)) return
    const [oldest = ''] = this.#byText.keys()
    if (this.#byText.size >= maxHeads) this.#byText.delete(oldest)
    this.#byText.set(head.text, head)
  }
}
