/** A process that starts doubles, judges responses and runs commands for test files. It ends with the process that started it. */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setImmediate as breathe } from 'node:timers/promises'

import type { DoubleHandle, DoubleOptions } from 'insights-double'
import { ProblemsError } from 'insights-double'

import { startHere } from './double-in-thread.js'
import { runHere } from './run-in-process.js'
import type { Answer, Command, Ended, Failure, Question, Questions } from './test-host-client.js'
import { judgeOf } from './validators.js'

/** Answers the questions of one test file. What it started and did not stop ends with its connection. */
async function serveFile(socket: Socket): Promise<void> {
  const doubles = new Map<string, DoubleHandle>()
  const take = async ({ judge, run, start, stop }: Questions): Promise<unknown> => {
    if (run) return runInTurn(run)
    if (judge) return judgeOf(judge.spec)(judge.judged)
    if (start) {
      const double = await startInTurn(start)
      doubles.set(double.url, double)
      return double.url
    }
    const double = doubles.get(stop ?? '')
    doubles.delete(stop ?? '')
    return double?.stop()
  }
  const answer = async ({ id, ...question }: Question): Promise<void> => {
    const answered = await take(question).then(
      (value): Answer => ({ id, value }),
      (error: unknown): Answer => ({ id, failure: failureOf(error) }),
    )
    socket.write(`${JSON.stringify(answered)}\n`)
  }
  for await (const line of createInterface(socket)) void answer(JSON.parse(line) as Question)
  await Promise.all([...doubles.values()].map((double) => double.stop()))
}

let lastStart: Promise<unknown> = Promise.resolve()

/** Starts one double after the other. Many at once would keep what has arrived for the others unread until their limits of time are over. */
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

/** Runs one command after the other: the working folder and the output of a process are one for all. */
function runInTurn(command: Command): Promise<Ended> {
  const ran = lastRun.then(() => runHere(command))
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
