/** The header fields that protect the pages of the double from other sites. */

/** Allows scripts, styles, images and data from the page's own origin only, and no form and no frame. */
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
 * Returns the header fields that protect a page. Every response of the control plane has them (pages, assets and data), and every HTML
 * response of the service.
 *
 * @returns Fields by lower-case name. Empty for any other response.
 */
export function securityHeaders(isControl: boolean, mediaType: string): Readonly<Record<string, string>> {
  return isControl || /^(?:text\/html|application\/xhtml\+xml)\b/iu.test(mediaType) ? pageHeaders : {}
}
