/** A process that starts doubles, validates responses and runs commands for test files. It ends with the process that started it. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setImmediate as breathe } from 'node:timers/promises'

import { type DoubleHandle, type DoubleOptions, ProblemsError } from 'insights-double'

import { startHere } from './double-in-thread.js'
import { validatorOf } from './independent-validator.js'
import { runHere, serveCommandHere, type ServingHere } from './run-in-this-process.js'
import { type Failure, type HostRequest, type HostResponse, type NumberedRequest, toLine } from './test-host-client.js'

/** Serves the requests of one test file. Doubles that the file did not stop end with its connection. */
async function serveFile(socket: Socket): Promise<void> {
  const doubles = new Map<string, DoubleHandle>()
  const commands = new Map<string, ServingHere>()
  const take = async ({ end, run, serve, start, stop, validate }: HostRequest): Promise<unknown> => {
    if (run) return inTurn(() => runHere(run))
    if (serve) {
      const serving = await inTurn(() => serveCommandHere(serve))
      commands.set(serve.name, serving)
      return serving.ready
    }
    if (end !== undefined) {
      const serving = commands.get(end)
      commands.delete(end)
      return serving && inTurn(() => serving.stop())
    }
    if (validate) return validatorOf(validate.spec)(validate.exchange)
    if (start) {
      const double = await startInTurn(start)
      doubles.set(double.url, double)
      return double.url
    }
    const double = doubles.get(stop ?? '')
    doubles.delete(stop ?? '')
    return double?.stop()
  }
  const answer = async ({ id, ...request }: NumberedRequest): Promise<void> => {
    const answered = await take(request).then(
      (value): HostResponse => ({ id, value }),
      (error: unknown): HostResponse => ({ id, failure: failureOf(error) }),
    )
    socket.write(toLine(answered))
  }
  for await (const line of createInterface(socket)) void answer(JSON.parse(line) as NumberedRequest)
  await Promise.all([...doubles.values()].map((double) => double.stop()))
  await Promise.all([...commands.values()].map((serving) => inTurn(() => serving.stop())))
}

let lastStart: Promise<unknown> = Promise.resolve()

/** Starts one double after the other. Many starts at once would block the requests of other doubles until these time out. */
function startInTurn(options: DoubleOptions): Promise<DoubleHandle> {
  const before = lastStart
  const start = async (): Promise<DoubleHandle> => {
    await before
    await breathe()
    return startHere(options)
  }
  const started = start()
  lastStart = started.catch(() => {})
  return started
}

let lastRun: Promise<unknown> = Promise.resolve()

/** Runs one command after the other, because they share the working folder and the environment of the process. */
function inTurn<T>(run: () => Promise<T>): Promise<T> {
  const ran = lastRun.then(run)
  lastRun = ran.catch(() => {})
  return ran
}

function failureOf(error: unknown): Failure {
  if (error instanceof ProblemsError) return { kind: 'problems', message: error.message, problems: error.problems }
  if (!(error instanceof Error)) return { kind: 'other', message: String(error) }
  const { code } = error as NodeJS.ErrnoException
  return { kind: error instanceof TypeError ? 'type' : 'other', message: error.message, code }
}

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => {})
  void serveFile(socket)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.once('disconnect', () => process.exit())
process.send?.((server.address() as AddressInfo).port)
