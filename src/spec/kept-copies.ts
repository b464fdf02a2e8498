/** The last good copies of documents from URLs, below `.insights-double/` in the working folder. */
import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { createFolder, writeDurably } from '../documents/durable-file.js'
import { isObject } from '../documents/object.js'
import type { RemoteDocument } from './location.js'

export interface KeptCopy extends RemoteDocument {
  /** Its text, without the credentials of the request. */
  readonly text: string
  readonly isJson: boolean
  /** The URL after redirects, by which its references are resolved. */
  readonly base: string
  /** When the host last sent or confirmed it. */
  readonly savedAt: string
}

const folder = join('.insights-double', 'contracts')

export const sha256Of = (text: string): string => hash('sha256', text)

const fileOf = (url: string): string => join(folder, `${sha256Of(url).slice(0, 16)}.json`)

/** @returns Undefined: there is none, or it is damaged. */
export async function readCopy(url: string): Promise<KeptCopy | undefined> {
  try {
    const file = fileOf(url)
    // Opening a FIFO would block.
    if (!(await stat(file)).isFile()) return undefined
    const copy: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isCopy(copy) && copy.url === url && copy.sha256 === sha256Of(copy.text) ? copy : undefined
  } catch {
    return undefined
  }
}

const isCopy = (value: unknown): value is KeptCopy =>
  isObject(value) &&
  ['url', 'sha256', 'text', 'base', 'savedAt'].every((name) => typeof value[name] === 'string') &&
  ['etag', 'lastModified'].every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
  typeof value['isJson'] === 'boolean' &&
  !Number.isNaN(Date.parse(String(value['savedAt'])))

/** @throws The error of Node. */
export async function writeCopy(copy: KeptCopy): Promise<void> {
  await createFolder(folder)
  await writeDurably(fileOf(copy.url), [Buffer.from(JSON.stringify(copy))])
}
