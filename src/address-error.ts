/**
 * Describes an error of listening on an address, and what to do.
 *
 * @param port - What sets the port, such as `--port`.
 * @param host - What sets the host.
 * @returns Undefined if the error has another cause.
 */
export function describeAddressError(error: Error, port: string, host: string): string | undefined {
  // File errors have some of these codes too.
  const isAddressError = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
  if (!isAddressError) return undefined
  return 'code' in error && error.code === 'EADDRINUSE'
    ? `${error.message}. Another process listens on it. Choose another port with ${port}, or 0 for a free one.`
    : `${error.message}. Choose another address with ${host} and ${port}.`
}
