/** Reports errors in the responses, the request body and the security of an operation, and the parts that are not enforced. */
import { nearestName } from '../../nearest-name.js'
import { hasNoBody } from '../contract.js'
import type { Cursor } from '../references.js'
import type { SchemaWalk } from './lint-and-rewrite-schema.js'
import { lintAndRewriteSchema } from './lint-and-rewrite-schema.js'
import { lintContent } from './lint-content.js'
import { lintList, lintFields } from './lint-fields.js'
import { lintSecurity } from './lint-security.js'

/** Reports errors in an operation, except in its parameters. */
export function lintOperation(top: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  const responses = operation.at('responses')
  const statuses = responses.children().filter(([status]) => !status.startsWith('x-'))
  if (responses.value === undefined && walk.dialect === '3.1')
    note(operation, 'documents no responses, so no response is checked', 'document each status that it sends', 'key')
  else if (statuses.length === 0)
    refuse(operation, 'documents no responses', 'document each status that it sends', 'key')
  for (const [status, response] of statuses) {
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/u.test(status)) {
      const hint = nearestName(status, ['default']) ?? (/^[1-5]xx$/iu.test(status) ? status.toUpperCase() : undefined)
      const at = [...responses.path, status]
      refuse(
        at,
        `"${status}" is not a status`,
        `use ${hint ?? 'three digits, such as "200", or 4XX or default'}`,
        'key',
      )
    }
    if (!lintFields('a response', response, walk.findings)) continue
    lintContent(response.at('content'), walk)
    if (hasNoBody(Number(status)) && response.at('content').children().length > 0)
      note(response.at('content'), `a ${status} has no body, so its content is not sent`, 'remove the content', 'key')
    if (response.at('links').children().length > 0)
      note([...response.path, 'links'], 'links are not followed or checked', 'no action is needed', 'key')
    for (const [, header] of response.at('headers').children()) {
      if (!lintFields('a header', header, walk.findings)) continue
      if (header.at('schema').value !== undefined) lintAndRewriteSchema(header.at('schema'), walk)
      else note(header, 'has no schema, so any value is valid', 'add a schema, such as `schema: {type: string}`', 'key')
    }
  }
  const hasSuccess = statuses.length === 0 || statuses.some(([status]) => /^(?:2(?:\d\d|XX)|default)$/u.test(status))
  if (!hasSuccess) {
    const what = 'documents no 2xx status, so 204 is sent'
    note(responses, what, 'document the status of a success', 'key')
  }
  const body = operation.at('requestBody')
  if (lintFields('a request body', body, walk.findings)) {
    if (body.at('content').value === undefined) refuse(body, 'has no content', 'add its media types', 'key')
    else if (body.at('content').children().length === 0)
      note(body.at('content'), 'has no media type, so every body is refused', 'add its media types', 'key')
    lintContent(body.at('content'), walk)
  }
  if (operation.at('callbacks').children().length > 0)
    note([...operation.path, 'callbacks'], 'callbacks are not sent', 'send them from the test', 'key')
  lintList(operation.at('security'), walk.findings)
  lintSecurity(top, operation, walk.findings)
}
