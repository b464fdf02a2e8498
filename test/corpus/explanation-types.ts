/** The part of the response of `GET /__admin/collections` that the corpus reads. */
export interface Explanation {
  readonly collections: readonly {
    readonly name: string
    readonly id: string
    readonly operations: Readonly<Record<string, string>>
  }[]
  readonly operations: readonly {
    readonly operation: string
    readonly method: string
    readonly path: string
    readonly role: string
    readonly reason?: string
    readonly parameters: readonly { readonly name: string; readonly acts: string }[]
    readonly security?: readonly (readonly string[])[]
  }[]
  readonly securitySchemes: readonly {
    readonly name: string
    readonly kind: string
    readonly in: string
    readonly parameter: string
    readonly prefix: string
  }[]
}
