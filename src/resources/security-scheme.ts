/** The security schemes of a contract. */

/** A security scheme: the place of a credential in a request. */
export interface SecurityScheme {
  /** The name under `components.securitySchemes`. */
  readonly name: string
  /**
   * `bearer`: also OAuth 2 and OpenID Connect. `basic`: `user:password`. `apiKey`: the value itself. `http`: the text after the name of any
   * other HTTP scheme.
   */
  readonly kind: 'bearer' | 'basic' | 'apiKey' | 'http'
  readonly in: 'header' | 'query' | 'cookie'
  /** The header field, query parameter or cookie. */
  readonly parameter: string
  /** The HTTP scheme before the credential, such as `Bearer`. Empty for API keys. */
  readonly prefix: string
}

/** A place of credentials in a request, with the schemes that read it. */
export interface CredentialPlace {
  readonly in: SecurityScheme['in']
  /** The name of the header field, query parameter or cookie. A header field is in lower case. */
  readonly name: string
  readonly schemes: readonly SecurityScheme[]
}

/** The credentials that an operation needs: one of these combinations. Empty: none. An empty combination: requests without a credential are allowed too. */
export type Security = readonly (readonly SecurityScheme[])[]
