/** Names of collections. */

/** Names paths: the last segment; where several would share it, all literal segments; where these are shared too, the whole path. */
export function nameCollections(paths: readonly string[]): ReadonlyMap<string, string> {
  const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')
  const forms = [
    (path: string): string => segmentsOf(path).at(-1) ?? path,
    (path: string): string =>
      segmentsOf(path)
        .filter((segment) => !segment.includes('{'))
        .join('/'),
    (path: string): string => segmentsOf(path).join('/'),
  ]
  return new Map(
    paths.map((path) => {
      const free = forms.find((form) => paths.every((other) => other === path || form(other) !== form(path)))
      return [path, (free ?? ((each: string) => each))(path)]
    }),
  )
}
