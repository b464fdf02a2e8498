/** The header fields that keep pages of other sites from showing, guessing about, or learning of a page of the double. */

/** A page takes scripts, styles, images and data from its own origin only, sends no form, and is shown in no frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  // For browsers that do not know `frame-ancestors`.
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Returns the header fields that protect a page: on every response of the control plane, so that neither the pages nor their assets nor
 * the data behind them can be framed, and on every HTML response of the service.
 *
 * @returns Fields by lower-case name. Empty for any other response.
 */
export function securityHeaders(isControl: boolean, mediaType: string): Readonly<Record<string, string>> {
  return isControl || /^(?:text\/html|application\/xhtml\+xml)\b/iu.test(mediaType) ? pageHeaders : {}
}
