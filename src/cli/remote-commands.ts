import { createHandle, type DoubleHandle } from '../client/handle.js'
import { sendOverHttp } from '../client/send-over-http.js'
import { environmentVariable, print } from '../node-process.js'
import { safeJson } from '../safe-text.js'
import { checkOutputFile, findAdminToken, writeOutputFile } from './flag-files.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { formatCounts, formatRequest } from './terminal.js'

const defaultUrl = 'http://127.0.0.1:4010'

async function connect(parsed: ParsedArguments): Promise<DoubleHandle> {
  const url = parsed.valueOf('url') ?? environmentVariable('INSIGHTS_DOUBLE_URL') ?? defaultUrl
  if (!/^https?:\/\/[^/]/u.test(url))
    throw new UsageError(`--url (or INSIGHTS_DOUBLE_URL) must be a URL such as ${defaultUrl}, got "${url}".`)
  return createHandle(url.replace(/\/+$/u, ''), {
    adminToken: await findAdminToken(parsed),
    send: (request) => sendOverHttp(request, 'Start one there, or name another with --url.'),
  })
}

export async function runReset(parsed: ParsedArguments): Promise<void> {
  const { collections, fixture } = await (await connect(parsed)).reset(parsed.positionals[0])
  print(`Reset to ${fixture ?? 'the inline document'} (${formatCounts(collections)}).\n`)
}

export async function runState(parsed: ParsedArguments): Promise<void> {
  const out = await checkOutputFile(parsed, 'out')
  const text = `${safeJson(await (await connect(parsed)).state(), 2)}\n`
  if (out === undefined) print(text)
  else await writeOutputFile(parsed, 'out', text)
}

export async function runRequests(parsed: ParsedArguments): Promise<void> {
  const list = await (await connect(parsed)).requests()
  if (parsed.isGiven('json')) return print(`${safeJson(list, 2)}\n`)
  const { entries, evicted } = list
  for (const entry of entries) print(`${formatRequest(entry, 'pretty')}\n`)
  if (evicted > 0) print(`(${evicted} older entries were dropped)\n`)
}
