/** Selects the first mocked response that is valid, and finds the examples that are not. */
import { isJson } from './bodies/media-types.js'
import { checkResponse } from './check-response.js'
import type { InvalidExample, Operation, OperationResponse } from './contract.js'
import { documentedResponse, hasNoBody } from './contract.js'
import { mockResponses } from './mock-candidates.js'
import type { OperationChecks, OperationMocks } from './prism/index.js'

/**
 * Finds the success response of a mocked operation: an example, otherwise a generated value.
 *
 * @param options.withOptional - True to generate optional properties too. That loads Prism's generator.
 * @returns The response, or a sentence that says why there is none.
 */
export async function firstValidSuccess(
  operation: Operation,
  mocked: OperationMocks,
  checks: OperationChecks,
  { withOptional }: { readonly withOptional: boolean },
): Promise<OperationResponse | string> {
  const status = operation.successStatus
  const documented = mocked.documented(documentedResponse(operation, status)?.status ?? '')
  let firstError = ''
  const findValid = (responses: readonly OperationResponse[]): OperationResponse | undefined =>
    responses.find((response) => {
      const error = checkResponse(operation, checks, response).find(({ severity }) => severity === 'Error')
      firstError ||= error?.message ?? ''
      return error === undefined
    })
  const example = findValid(mockResponses(status, documented))
  if (example) return example
  const minimal = findValid(mockResponses(status, documented, mocked.generateMinimal))
  if (minimal && !withOptional) return minimal
  const full = findValid(mockResponses(status, documented, await mocked.loadGenerator()))
  return full ?? minimal ?? `No example fits the ${status} of ${operation.id}, and none can be generated: ${firstError}`
}

/** Lists the examples of an operation's JSON responses that are not valid by their schemas. */
export const findInvalidExamples = (
  operation: Operation,
  mocked: OperationMocks,
  checks: OperationChecks,
): readonly InvalidExample[] =>
  operation.responses.flatMap(({ status: documented }) => {
    const status = statusOf(operation, documented)
    if (status === undefined || hasNoBody(status)) return []
    return (mocked.documented(documented).contents ?? []).flatMap(({ examples = [], mediaType }) =>
      examples.flatMap((example) => {
        const { key: name, value: body } = example as { readonly key: string; readonly value?: unknown }
        if (body === undefined || !isJson(mediaType)) return []
        const error = checkResponse(operation, checks, { status, headers: {}, mediaType, body }).find(
          ({ location, severity }) => severity === 'Error' && location[1] === 'body',
        )
        return error ? [{ status: documented, name, message: error.message }] : []
      }),
    )
  })

/** Returns a status that a documented one describes. Undefined: there is none. */
const statusOf = (operation: Operation, documented: string): number | undefined =>
  [documented, documented.replace('XX', '00'), operation.successStatus, 599, 499]
    .map(Number)
    .find((each) => documentedResponse(operation, each)?.status === documented)

/** Returns the body of the first valid mocked response of a documented status. Undefined if none is valid. */
export function firstValidBody(
  operation: Operation,
  mocked: OperationMocks,
  checks: OperationChecks,
  documentedStatus: string,
): unknown {
  const status = statusOf(operation, documentedStatus)
  if (status === undefined) return undefined
  const isValid = (response: OperationResponse): boolean =>
    checkResponse(operation, checks, response).every(({ severity }) => severity !== 'Error')
  return mockResponses(status, mocked.documented(documentedStatus), mocked.generateMinimal).find(isValid)?.body
}
