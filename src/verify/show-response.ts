/** Shows a response with a mark at the part that differs. */
import type { Json } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { Exchange } from '../pull/service-client.js'
import type { Difference } from './differences.js'

/** The mark of a line that differs. */
const mark = '   <-- differs'

/** The number of lines that are shown around a marked one. */
const around = 3

/**
 * Writes a response as lines: the status, the compared headers, and the part of the body around the difference.
 *
 * @param path - The path of the difference in this body. Default: the path in the difference.
 */
export function showResponse(
  exchange: Exchange,
  { header, part, path: itsPath }: Difference,
  path = itsPath,
): readonly string[] {
  if ('failure' in exchange) return [exchange.failure]
  const { headers, json, status, text } = exchange
  const marked = (line: string, isMarked: boolean): string => `${line}${isMarked ? mark : ''}`
  const type = headers['content-type']
  const lines = [marked(String(status), part === 'status')]
  if (type !== undefined || part === 'media type')
    lines.push(marked(`content-type: ${type ?? '(none)'}`, part === 'media type'))
  if (header !== undefined) lines.push(marked(`${header}: ${headers[header] ?? '(none)'}`, true))
  if (json === undefined) {
    const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text
    return [...lines, marked(shown === '' ? '(no body)' : shown.replaceAll(/\s*\n\s*/gu, ' '), path !== undefined)]
  }
  return [...lines, ...bodyLines(json, path)]
}

/** Writes a body as indented JSON. If the place of the difference is known, only the lines around it. */
function bodyLines(body: Json, path: readonly Segment[] | undefined): readonly string[] {
  const lines: { readonly text: string; readonly isMarked: boolean }[] = []
  const wanted = path && deepest(body, path)
  const visit = (value: Json, at: readonly Segment[], prefix: string, suffix: string): void => {
    const indent = '  '.repeat(at.length)
    const isMarked =
      wanted !== undefined && wanted.length === at.length && wanted.every((segment, index) => segment === at[index])
    const children = Array.isArray(value)
      ? value.map((inner, index) => [index, inner as Json] as const)
      : isObject(value)
        ? Object.entries(value)
        : []
    if (children.length === 0) {
      lines.push({ text: `${indent}${prefix}${JSON.stringify(value)}${suffix}`, isMarked })
      return
    }
    const isList = Array.isArray(value)
    lines.push({ text: `${indent}${prefix}${isList ? '[' : '{'}`, isMarked })
    for (const [index, [key, inner]] of children.entries())
      visit(inner, [...at, key], isList ? '' : `${JSON.stringify(key)}: `, index === children.length - 1 ? '' : ',')
    lines.push({ text: `${indent}${isList ? ']' : '}'}${suffix}`, isMarked: false })
  }
  visit(body, [], '', '')
  const first = lines.findIndex(({ isMarked }) => isMarked)
  const from = Math.max(0, (first === -1 ? 0 : first) - around)
  const until = from + 4 * around
  return [
    ...(from > 0 ? ['…'] : []),
    ...lines
      .slice(from, until)
      .map(({ isMarked, text }) => `${text.length > 200 ? `${text.slice(0, 200)}…` : text}${isMarked ? mark : ''}`),
    ...(until < lines.length ? ['…'] : []),
  ]
}

/** Returns the longest start of a path that exists in a value. */
function deepest(value: Json, path: readonly Segment[]): readonly Segment[] {
  let at: unknown = value
  for (const [index, segment] of path.entries()) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return path.slice(0, index)
    at = (at as Record<Segment, unknown>)[segment]
  }
  return path
}
