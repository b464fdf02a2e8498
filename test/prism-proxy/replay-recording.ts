/** Sends the recorded requests again, through a proxy to a server that sends the recorded responses. */
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { join } from 'node:path'

import type { Listening } from '../helpers/port.js'
import { listen } from '../helpers/port.js'
import type { Checking, Findings, Call } from './findings.js'
import type { Recording } from './read-recording.js'
import { pathOf } from './read-recording.js'

/** The header fields that concern a connection, and not the content of a message. */
const ofTheConnection = /^(?:connection|content-length|date|keep-alive|transfer-encoding)$/u

/** The header fields that the contract uses. Others are not sent: some values of the fuzzer end Prism's proxy. */
const ofTheContract = /^(?:accept|authorization|origin)$/u

/** Removes some header fields, and values that Prism's proxy cannot forward. */
const only = (
  headers: Readonly<Record<string, string>>,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => isWanted(name) && /^[\t\x20-\x7e]*$/u.test(value)),
  )

const numberHeader = 'x-recorded'

export async function startReplaying(folder: string, { exchanges }: Recording): Promise<Listening> {
  const give = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = exchanges[Number(request.headers[numberHeader])]
    const body = exchange?.body === undefined ? undefined : await readFile(join(folder, exchange.body))
    response
      .writeHead(
        exchange?.status ?? 599,
        exchange ? only(exchange.replyHeaders, (name) => !ofTheConnection.test(name)) : {},
      )
      .end(body)
  }
  return listen(createServer((request, response) => void give(request, response)))
}

/** Sends the recorded requests through a proxy in front of the server that sends the recorded responses. */
export async function replay(findings: Findings, proxy: Checking, { exchanges }: Recording): Promise<void> {
  for (const [number, { headers, method, status, url }] of exchanges.entries()) {
    const call: Call = {
      method,
      path: pathOf(url),
      headers: { ...only(headers, (name) => ofTheContract.test(name)), [numberHeader]: String(number) },
    }
    const answer = await findings.through(proxy, 'the suite', call, () => status)
    if (answer?.status === 599) findings.wrong.push(`${proxy.name}: ${method} ${url} did not get its response`)
  }
}
