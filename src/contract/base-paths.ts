/** The base paths of a spec: the paths of its servers. */
import { isObject } from '../documents/object.js'
import { listOf } from './schemas/types-and-properties.js'

/** Returns the base paths of `servers`, such as `/v1`. Leaves out servers with variables, and empty base paths. */
export function basePathsOf(servers: unknown): readonly string[] {
  const paths = listOf(servers).flatMap((server) => {
    const url = isObject(server) ? server['url'] : undefined
    if (typeof url !== 'string' || url.includes('{') || !URL.canParse(url, 'http://localhost')) return []
    return [new URL(url, 'http://localhost').pathname.replace(/\/+$/u, '')]
  })
  return [...new Set(paths)].filter((path) => path !== '')
}
