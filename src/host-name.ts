/** Reads host names, and tells which mean this machine. */
import { isIPv4 } from 'node:net'

/** Tells whether a host name or an address always means this machine. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '[::1]') return true
  return isIPv4(name) && name.startsWith('127.')
}

/** Returns the name in a Host header, in lower case, without the port. @returns Undefined if the header is invalid. */
export function hostName(host: string): string | undefined {
  const [, name] = /^([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu.exec(host) ?? []
  return name?.toLowerCase()
}
