/** Loads a contract from a spec: reads, lints and dereferences it, and creates the validation of its operations. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { addFlagToHints, ProblemsError } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { readParsedSource, readSource } from '../documents/source.js'
import { once } from '../once.js'
import { basePathsOf } from './base-paths.js'
import { checkRequest } from './check-request.js'
import { checkResponse } from './check-response.js'
import type { Contract, Operation, OperationResponse, Pause, ReportProgress } from './contract.js'
import { createContractView } from './create-contract-view.js'
import { createErrorContent, withErrorStatus } from './create-error-content.js'
import { documentWithoutWriteOnly } from './document-without-write-only.js'
import { findInvalidExamples, firstValidBody, firstValidSuccess } from './first-valid-mock.js'
import type { LintResult } from './lint/lint-spec.js'
import { lintSpec } from './lint/lint-spec.js'
import { secretPathsOf } from './parameters/secret-paths.js'
import type { PrismFunctions } from './prism-interface.js'
import { readOperations } from './prism.js'
import { dereference } from './references.js'
import { addDateTimePatterns } from './schemas/date-time-pattern.js'
import { findSecretNames } from './schemas/find-secret-names.js'
import { createRequestResultCache, createResponseResultCache } from './validation-result-caches.js'

/** The options of a contract. */
export interface LoadOptions {
  /** An OpenAPI Overlay 1.0 that is applied to the spec. Default: none. */
  readonly overlay?: string | undefined
  /** The path of a JSON file with the value of the YAML spec, which tests have compared and linted. Default: loading parses and lints the spec. */
  readonly verifiedValue?: string | undefined
  /** Called before each part of the work. Default: no report. */
  readonly onProgress?: ReportProgress | undefined
  /** Called between the parts of the work. Default: no interruption. */
  readonly pause?: Pause
}

/**
 * Loads a spec.
 *
 * @throws {ProblemsError} If the spec or the overlay cannot be read or is invalid. It has every problem found.
 */
export async function loadContract(
  file: string,
  { overlay, verifiedValue, onProgress = () => {}, pause = async () => {} }: LoadOptions = {},
): Promise<Contract> {
  onProgress('reading it')
  const isVerified = verifiedValue !== undefined
  const spec = await (isVerified ? readParsedSource(file, verifiedValue) : readSource(file))
  const options = { isVerified, onProgress, pause }
  if (overlay === undefined) return createContract(spec, options).catch(refuseDepth(file))
  const changes = await readSource(overlay).catch((error: unknown) => {
    throw addFlagToHints('--overlay', error)
  })
  // Loaded when it is first needed: most doubles have no overlay.
  const { applyOverlay } = await import('./overlay/apply-overlay.js')
  const { source, warnings } = applyOverlay(spec, changes)
  const contract = await createContract(source, options).catch(refuseDepth(file))
  return { ...contract, diagnostics: [...warnings, ...contract.diagnostics], overlayWarnings: warnings }
}

async function createContract(
  source: Source,
  {
    isVerified,
    onProgress,
    pause,
  }: { readonly isVerified: boolean; readonly onProgress: ReportProgress; readonly pause: Pause },
): Promise<Contract> {
  await pause()
  onProgress('checking it')
  const { diagnostics, document: rewritten, problems } = isVerified ? unchanged(source) : lintSpec(source)
  if (problems.length > 0) throw new ProblemsError(problems)
  await pause()
  onProgress('reading its operations')
  const document = dereference(rewritten) as JsonObject
  addDateTimePatterns(document)
  await pause()
  let compiled = 0
  const all = readOperations(document, () => (compiled += 1))
  const operations = all.map(({ operation }) => operation)
  const byId = new Map(all.map((checks) => [checks.operation.id, checks]))
  const checksOf = (operation: Operation): PrismFunctions => byId.get(operation.id) ?? unknownOperation(operation)
  // The spec without the pattern of date-times, which Prism's generator does not handle. One copy serves the engine and the mocked values.
  const plainDocument = once(() => dereference(rewritten) as JsonObject)
  const mockedDocument = (): JsonObject =>
    source.text.includes('writeOnly')
      ? (dereference(documentWithoutWriteOnly(rewritten as JsonObject)) as JsonObject)
      : plainDocument()
  const mocked = once(() => new Map(readOperations(mockedDocument()).map((each) => [each.operation.id, each])))
  const mockedBy = (operation: Operation): PrismFunctions => mocked().get(operation.id) ?? unknownOperation(operation)
  const mockedSuccesses = new Map<string, Promise<OperationResponse | string>>()
  const cachedRequest = createRequestResultCache()
  const cachedResponse = createResponseResultCache()
  const examples = new Map<string, { readonly body: unknown }>()
  const resourceView = once(() =>
    createContractView({
      document: plainDocument(),
      referring: rewritten,
      operations,
      locate: source.locate,
      example: (id, status) => {
        const key = `${status} ${id}`
        const create = (): unknown => {
          const operation = byId.get(id)?.operation
          return operation && firstValidBody(mockedBy(operation), checksOf(operation), status)
        }
        const example = examples.get(key) ?? { body: create() }
        examples.set(key, example)
        return example.body
      },
    }),
  )
  const errorContent = once(() => createErrorContent(resourceView()))
  const basePaths = basePathsOf(document['servers'])
  const info = isObject(document['info']) ? document['info'] : {}

  return {
    file: source.file,
    text: source.text,
    document: source.value,
    locate: source.locate,
    title: textOf(info['title']),
    version: textOf(info['version']),
    diagnostics,
    overlayWarnings: [],
    operations,
    basePaths,
    secretNames: findSecretNames(document),
    secretPaths: secretPathsOf(operations),
    resourceView,
    errorContent: (operation, status, message) => errorContent()(operation?.id, status, message),
    withErrorStatus: (operation, response) => withErrorStatus(resourceView(), operation.id, response),
    checkRequest: (operation, request) =>
      cachedRequest(operation, request, () => checkRequest(checksOf(operation), request)),
    checkResponse: (operation, response) =>
      cachedResponse(operation, response, () => checkResponse(checksOf(operation), response)),
    countCompiledValidators: () => compiled,
    compileValidators: (operation) => compileValidators(checksOf(operation)),
    findMockProblem: async (operation) => {
      const found = await firstValidSuccess(mockedBy(operation), checksOf(operation), { withOptional: false })
      return typeof found === 'string' ? found : undefined
    },
    findInvalidExamples: (operation) => findInvalidExamples(mockedBy(operation), checksOf(operation)),
    mockResponse: async (operation, request, preference) => {
      if (Object.keys(preference).length > 0) return mockedBy(operation).mockResponse(request, preference)
      const success =
        mockedSuccesses.get(operation.id) ??
        firstValidSuccess(mockedBy(operation), checksOf(operation), { withOptional: true })
      mockedSuccesses.set(operation.id, success)
      return success
    },
  }
}

/** Prism compiles a schema when it first validates by it. */
function compileValidators(checks: PrismFunctions): void {
  for (const content of [undefined, ...(checks.operation.requestBody?.contents ?? [])])
    checks.checkRequest({ path: {}, query: {}, header: {}, cookie: {}, content })
  for (const { mediaTypes, status } of checks.operation.responses) {
    const [mediaType = ''] = mediaTypes
    checks.checkResponse({ status: Number(status.replace('XX', '00')) || 500, headers: {}, mediaType, body: {} })
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function unknownOperation(operation: Operation): never {
  throw new TypeError(`${operation.id} is not an operation of this contract`)
}

/** Creates a function that throws a problem in place of a stack overflow, which a deeply nested spec causes. */
const refuseDepth =
  (file: string) =>
  (error: unknown): never => {
    if (!(error instanceof RangeError)) throw error
    const hint = 'use fewer levels of schemas; one that contains itself needs no levels'
    throw new ProblemsError([{ file, what: 'cannot be read: its schemas are nested too deep', hint }])
  }

/** The result of linting a spec that has no findings. */
const unchanged = ({ value }: Source): LintResult => ({ problems: [], diagnostics: [], document: value })
