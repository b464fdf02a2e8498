import { isIPv4 } from 'node:net'

/** Tells whether a host name or an address always means this machine. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '[::1]') return true
  return isIPv4(name) && name.startsWith('127.')
}
