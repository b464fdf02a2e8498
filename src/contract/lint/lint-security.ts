/** Reports errors in the security requirements of an operation. */
import { nearestName } from '../../nearest-name.js'
import type { Cursor } from '../references.js'
import type { Findings } from './findings.js'
import { lintFields } from './lint-fields.js'

const types = ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect']

/** Reports security schemes that are undefined, misspelt or not HTTP bearer, the only supported scheme. */
export function lintSecurity(top: Cursor, operation: Cursor, findings: Findings): void {
  const own = operation.at('security')
  const requirements = own.value === undefined ? top.at('security') : own
  const schemes = top.at('components').at('securitySchemes')
  for (const [, requirement] of requirements.children()) {
    for (const [name] of requirement.children()) {
      const scheme = schemes.at(name)
      if (scheme.value === undefined) {
        const meant = nearestName(
          name,
          schemes.children().map(([known]) => known),
        )
        const hint = meant === undefined ? 'define it under components.securitySchemes' : `did you mean "${meant}"?`
        findings.refuse([...requirement.path, name], `security scheme "${name}" is not defined`, hint, 'key')
      } else if (lintFields('a security scheme', scheme, findings)) lintScheme(name, scheme, findings)
    }
  }
}

function lintScheme(name: string, scheme: Cursor, { refuse }: Findings): void {
  const type = String(scheme.at('type').value)
  const kind = type === 'http' ? `http ${String(scheme.at('scheme').value)}` : type
  if (kind.toLowerCase() === 'http bearer') return
  const meant =
    nearestName(type, types) ?? (nearestName(kind.toLowerCase(), ['http bearer', 'http basic']) ? 'bearer' : undefined)
  const what = `security scheme "${name}" (${kind}) is not HTTP bearer, the only supported scheme`
  refuse(scheme, what, meant === undefined ? 'use `type: http` and `scheme: bearer`' : `did you mean "${meant}"?`)
}
