import { relative } from 'node:path'

import { attempt, errorCode } from './error-message.js'

/** Tells whether a place that a user names is meant as a URL, not as a path: `C://x` is a path. */
export const isUrl = (place: string): boolean => /^[a-z][a-z\d+.-]+:\/\//iu.test(place)

/** Returns a path relative to the working folder. A URL stays as it is. */
export const shortPlace = (place: string): string => (isUrl(place) ? place : relative('', place))

/** Decodes percent-encoding. @returns Undefined unless it is UTF-8. */
export const decodePercent = (text: string): string | undefined => attempt(() => decodeURIComponent(text))

/** 127.0.0.0/8 (RFC 1122). `node:net` would check it, but takes four milliseconds to load. */
const loopbackAddress = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/u

export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '[::1]') return true
  return loopbackAddress.test(name)
}

/** Returns the name in a Host header, in lower case, without the port. @returns Undefined if the header is invalid. */
export function hostName(host: string): string | undefined {
  const [, name] = /^([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu.exec(host) ?? []
  return name?.toLowerCase()
}

/** @param port - What sets the port, such as `--port`. @param host - What sets the host. @returns Undefined if the error has another cause. */
export function describeAddressError(error: Error, port: string, host: string): string | undefined {
  // File errors have some of these codes too.
  const isAddressError = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
  if (!isAddressError) return undefined
  return errorCode(error) === 'EADDRINUSE'
    ? `${error.message}. Another process listens on it. Choose another port with ${port}, or 0 for a free one.`
    : `${error.message}. Choose another address with ${host} and ${port}.`
}
