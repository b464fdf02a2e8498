/** Reports errors in the security requirements of an operation. */
import { nearestName } from '../../nearest-name.js'
import type { Cursor } from '../references.js'
import type { Findings } from './findings.js'
import { lintFields } from './lint-fields.js'

const types = ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect']

/** Reports security schemes that are undefined or misspelt, and those that are not enforced. */
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

function lintScheme(name: string, scheme: Cursor, { note, refuse }: Findings): void {
  const type = scheme.at('type').value
  if (type === 'oauth2' || type === 'openIdConnect') return
  if (type === 'http') lintHttpScheme(name, scheme, { note, refuse })
  else if (type === 'apiKey') lintApiKey(name, scheme, { refuse })
  else if (type === 'mutualTLS') {
    const hint = 'no action is needed: requests are served without a certificate'
    note(scheme, `security scheme "${name}" is a client certificate, which is not checked`, hint)
  } else {
    const meant = nearestName(String(type), types)
    const what = `security scheme "${name}" has the type ${JSON.stringify(type) ?? 'undefined'}`
    refuse(scheme, what, meant === undefined ? `use ${types.join(', ')}` : `did you mean "${meant}"?`)
  }
}

function lintHttpScheme(name: string, scheme: Cursor, { note, refuse }: Pick<Findings, 'note' | 'refuse'>): void {
  const { value } = scheme.at('scheme')
  const lower = String(value).toLowerCase()
  if (lower === 'bearer' || lower === 'basic') return
  const meant = nearestName(lower, ['bearer', 'basic'])
  if (typeof value !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/u.test(value) || meant !== undefined) {
    const what = `security scheme "${name}" has the HTTP scheme ${JSON.stringify(value) ?? 'undefined'}`
    refuse(scheme, what, `did you mean "${meant ?? 'bearer'}"?`)
  } else {
    const what = `the credentials of security scheme "${name}" (${value}) are compared as text`
    note(scheme, what, `send "Authorization: ${value} <the token of a caller>"`)
  }
}

function lintApiKey(name: string, scheme: Cursor, { refuse }: Pick<Findings, 'refuse'>): void {
  if (typeof scheme.at('name').value !== 'string')
    refuse(scheme, `security scheme "${name}" has no name of a header, query parameter or cookie`, 'add its `name`')
  const place = scheme.at('in').value
  const places = ['header', 'query', 'cookie']
  if (places.includes(String(place))) return
  const meant = nearestName(String(place), places)
  const what = `security scheme "${name}" is in ${JSON.stringify(place) ?? 'no place'}`
  refuse(scheme, what, meant === undefined ? `use ${places.join(', ')}` : `did you mean "${meant}"?`)
}
