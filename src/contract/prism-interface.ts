/** The interface between `prism.ts` and the other files of the contract. */
import type {
  BodyContent,
  Json,
  MockPreference,
  Operation,
  OperationRequest,
  OperationResponse,
  ParameterPlaces,
} from './contract.js'
import type { MockSource, GenerateValues } from './mock-candidates.js'
import type { Violation } from './violation.js'

/** A request with decoded parameters and body. */
export interface DecodedRequest extends ParameterPlaces {
  readonly body?: Json
  /** The content of the operation that describes the body. */
  readonly content: BodyContent | undefined
}

/** The functions of Prism for one operation: they validate its requests and responses, and generate responses. */
export interface PrismFunctions {
  readonly operation: Operation
  checkRequest(request: DecodedRequest): Violation[]
  checkResponse(response: OperationResponse): readonly Violation[]
  /** Generates a response that a client prefers. @returns The response, or a sentence that says why there is none. */
  mockResponse(request: OperationRequest, preference: MockPreference): Promise<OperationResponse | string>
  /** Returns the documented response of a status. */
  documented(status: string): MockSource
  /** Generates minimal values of the operation's schemas. */
  readonly generateMinimal: GenerateValues
  /** Loads the generator of values with optional properties, which takes more than a second. */
  loadGenerator(): Promise<GenerateValues>
}
