/** An index of path templates: finds those that a path may match, in a time that does not grow with their number. */

/** A segment of templates, with those that end there. */
interface Node {
  readonly literals: Map<string, Node>
  /** The segments that contain a parameter. */
  parameter: Node | undefined
  readonly templates: string[]
}

const createNode = (): Node => ({ literals: new Map(), parameter: undefined, templates: [] })

/**
 * Creates an index of path templates such as `/pets/{petId}`.
 *
 * @returns A function that finds the templates whose number of segments and literal segments are those of a path.
 */
export function createPathIndex(templates: Iterable<string>): (path: string) => readonly string[] {
  const root = createNode()
  for (const template of templates) {
    let node = root
    for (const segment of template.split('/'))
      node = segment.includes('{') ? parameterOf(node) : literalOf(node, segment)
    node.templates.push(template)
  }
  return (path) => find(root, path.split('/'), 0)
}

const parameterOf = (node: Node): Node => (node.parameter ??= createNode())

function literalOf({ literals }: Node, segment: string): Node {
  const known = literals.get(segment) ?? createNode()
  literals.set(segment, known)
  return known
}

function find(node: Node, segments: readonly string[], at: number): readonly string[] {
  const segment = segments[at]
  if (segment === undefined) return node.templates
  const literal = node.literals.get(segment)
  const byLiteral = literal ? find(literal, segments, at + 1) : []
  const byParameter = node.parameter ? find(node.parameter, segments, at + 1) : []
  return byLiteral.length === 0 ? byParameter : [...byLiteral, ...byParameter]
}
