/** Loads a contract from a spec: reads, lints and dereferences it, and creates the validation of its operations. */
import { type JsonObject, listOf, objectAt, objectOf, textOf } from '../documents/object.js'
import { addFlagToHints, type Problem, ProblemsError } from '../documents/problem.js'
import { readSource, type Source } from '../documents/source.js'
import { once, onceFor, onceForObject } from '../once.js'
import type { SpecOptions } from '../spec/location.js'
import { asSpec, readSpec, type Spec } from '../spec/read-spec.js'
import { checkRequest, checkResponse } from './check-messages.js'
import type { Contract, Operation, ReportProgress, ValidationError } from './contract.js'
import { createErrorContent } from './errors.js'
import { generateMinimalValue } from './generate.js'
import { lintSpec } from './lint/lint-spec.js'
import { findInvalidExamples, findMockedResponse, firstValidBody, type Mockable } from './mock.js'
import { fillTemplate } from './path-template.js'
import { createPrism, type OperationChecks, type SchemaError } from './prism/index.js'
import { readOperations } from './read-operations.js'
import { dereference } from './references.js'
import { findSecretNames, secretPathsOf } from './secrets.js'
import { readSecuritySchemes } from './security.js'

export interface LoadOptions extends SpecOptions {
  /** An OpenAPI Overlay 1.0 that is applied to the spec. Default: none. */
  readonly overlay?: string | undefined
  /** True for a spec that tests have linted. Default: loading lints it. */
  readonly isVerified?: boolean
  /** Called before each part of the work. Default: no report. */
  readonly onProgress?: ReportProgress | undefined
}

/** @param file - A file, a folder or a URL. @throws {ProblemsError} If the spec or the overlay cannot be read or is invalid. It has every problem found. */
export async function loadContract(file: string, options: LoadOptions = {}): Promise<Contract> {
  const { overlay, isVerified = false, onProgress = () => {}, ...specOptions } = options
  onProgress('reading it')
  const spec = isVerified ? asSpec(await readSource(file)) : await readSpec(file, specOptions)
  const { source, warnings } =
    overlay === undefined ? { source: spec.source, warnings: [] } : await applyOverlayFile(spec.source, overlay)
  try {
    onProgress('checking it')
    const linted = isVerified ? { diagnostics: [], document: source.value, problems: [] } : lintSpec(source)
    if (linted.problems.length > 0) throw new ProblemsError(linted.problems)
    onProgress('reading its operations')
    const diagnostics = [...warnings, ...spec.diagnostics, ...linted.diagnostics]
    return buildContract(source, linted.document as JsonObject, spec, diagnostics, warnings)
  } catch (error) {
    // A deeply nested spec causes a stack overflow.
    if (!(error instanceof RangeError)) throw error
    const hint = 'use fewer levels of schemas; one that contains itself needs no levels'
    throw new ProblemsError([{ file, what: 'cannot be read: its schemas are nested too deep', hint }])
  }
}

/** @returns The changed spec, and the actions of the overlay that target nothing. @throws {ProblemsError} The overlay cannot be read or applied. */
async function applyOverlayFile(spec: Source, overlay: string) {
  const changes = await readSource(overlay).catch((error: unknown) => {
    throw addFlagToHints('--overlay', error)
  })
  // Loaded when it is first needed: most doubles have no overlay.
  return (await import('./overlay.js')).applyOverlay(spec, changes)
}

/** Creates the contract of a linted spec. @param referring - The value of the spec as linting has rewritten it, with its references. */
function buildContract(
  source: Source,
  referring: JsonObject,
  { diagnostics: _diagnostics, source: _source, warnings, ...spec }: Spec,
  diagnostics: readonly Problem[],
  overlayWarnings: readonly Problem[],
): Contract {
  const document = dereference(referring) as JsonObject
  const securitySchemes = readSecuritySchemes(document)
  let compiled = 0
  const prism = createPrism(document['openapi'], () => (compiled += 1))
  const checks = onceFor((operation: Operation) => prism.checksOf(operation))
  const mocks = onceFor((operation: Operation) => prism.mocksOf(operation))
  const operations = readOperations({
    document,
    referring,
    locate: source.locate,
    convert: prism.convert,
    securitySchemes,
    exampleNames: (operation, status) => {
      const { contents = [] } = mocks(operation).documented(status)
      return [...new Set(contents.flatMap(({ examples = [] }) => examples.map(({ key }) => key)))]
    },
  })
  const mockable = (operation: Operation): Mockable => ({
    operation,
    mocks: mocks(operation),
    errorsOf: (response) =>
      checkResponse(operation, checks(operation), response).filter(({ severity }) => severity === 'Error'),
  })
  const mockedSuccesses = onceFor((operation: Operation) => findMockedResponse(mockable(operation), {}, true))
  const examples = onceFor((isShown: boolean) =>
    onceFor((operation: Operation) =>
      onceFor((status: string) => firstValidBody(mockable(operation), status, isShown)),
    ),
  )
  const valueChecks = onceForObject((schema: JsonObject) => prism.checkOf(schema))
  const schemas = objectAt(objectAt(document, 'components'), 'schemas')
  const names = once(() => new Map(Object.entries(schemas).map(([name, schema]) => [schema, name])))
  const validate: Contract['validate'] = (schema, value) => valueChecks(schema)(value).map(toValidationError)
  const info = objectAt(document, 'info')
  const schemaName: Contract['schemaName'] = (schema) => names().get(schema)
  const example: Contract['example'] = (operation, status, isShown = false) =>
    status === undefined ? undefined : examples(isShown)(operation)(status)
  return {
    ...spec,
    file: source.file,
    writeText: () => source.text,
    document: source.value,
    locate: source.locate,
    title: textOf(info['title']),
    version: textOf(info['version']),
    diagnostics,
    overlayWarnings,
    specWarnings: warnings,
    operations,
    basePaths: basePathsOf(document['servers']),
    secretNames: findSecretNames(document),
    secretPaths: secretPathsOf(operations),
    securitySchemes,
    schemaName,
    validate,
    generate: (schema) =>
      [generateMinimalValue(document, schema), null].find((value) => validate(schema, value).length === 0),
    example,
    errorContent: createErrorContent({ example, operations, schemaName, validate }),
    checkRequest: (operation, request) => checkRequest(operation, checks(operation), request),
    checkResponse: (operation, response) => checkResponse(operation, checks(operation), response),
    countCompiledValidators: () => compiled,
    compileValidators: (operation) => compileValidators(operation, checks(operation)),
    findMockProblem: async (operation) => {
      const found = await findMockedResponse(mockable(operation), {}, false)
      return typeof found === 'string' ? found : undefined
    },
    findInvalidExamples: (operation) => findInvalidExamples(mockable(operation)),
    mockResponse: (operation, preference) =>
      preference ? findMockedResponse(mockable(operation), preference, true) : mockedSuccesses(operation),
  }
}

function toValidationError({ isSentence, path, rule }: SchemaError): ValidationError {
  const inside = path.slice(1)
  return { path: inside, message: isSentence || inside.length === 0 ? rule : `${inside.join('.')} ${rule}` }
}

/** Returns the base paths of `servers`, such as `/v1`, with the defaults of their variables. Leaves out empty ones. */
function basePathsOf(servers: unknown): readonly string[] {
  const paths = listOf(servers).flatMap((server) => {
    const { url, variables } = objectOf(server)
    const filled = fillTemplate(textOf(url), (name) => textOf(objectAt(objectOf(variables), name)['default']))
    return URL.canParse(filled, 'http://localhost')
      ? [new URL(filled, 'http://localhost').pathname.replace(/\/+$/u, '')]
      : []
  })
  return [...new Set(paths)].filter((path) => path !== '')
}

/** Prism compiles a schema when it first validates by it. */
function compileValidators({ requestBody, responses }: Operation, checks: OperationChecks): void {
  for (const content of [undefined, ...(requestBody?.contents ?? [])])
    checks.checkRequest({ path: {}, query: {}, header: {}, cookie: {}, content })
  for (const { contents, status } of responses) {
    const mediaType = contents[0]?.mediaType ?? ''
    checks.checkResponse({ status: Number(status.replace('XX', '00')) || 500, headers: {}, mediaType, body: {} })
  }
}
