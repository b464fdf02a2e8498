/** The header fields that protect the pages of the double: from other sites, and from the responses of the service at the same origin. */

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

/** The media types that no browser runs. A browser uses the last of several types, and guesses a missing one. */
const inertType =
  /^(?:application\/(?:[\w!#$&^.-]+\+)?json|image\/(?:avif|gif|jpeg|png|webp)|text\/(?:csv|plain))\s*(?:;[^,]*)?$/iu

/** A policy list that ends with the policy `sandbox`. */
const endsWithSandbox = /(?:^|,)\s*sandbox\s*$/iu

/**
 * Adds the header fields that protect the console. Every response of the control plane gets those of a page (pages, assets and data). Every
 * response of the service that a browser could run gets `sandbox` as its last policy, so that its scripts and forms do nothing at this
 * origin. Browsers obey the last policy with this directive.
 *
 * @param headers - All other fields of the response, by lower-case name.
 */
export function addSecurityHeaders(headers: Record<string, string | number>, isControl: boolean): void {
  const { 'content-security-policy': own, 'content-type': mediaType = '' } = headers
  if (isControl) Object.assign(headers, pageHeaders)
  else if (!inertType.test(String(mediaType)) && !endsWithSandbox.test(String(own)))
    headers['content-security-policy'] = own === undefined ? 'sandbox' : `${own}, sandbox`
}
