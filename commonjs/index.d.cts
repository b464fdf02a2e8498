/** The types of the CommonJS entry: those of the ES module. */
import type * as module from '../dist/index.js' with { 'resolution-mode': 'import' }

export type * from '../dist/index.js' with { 'resolution-mode': 'import' }
export declare const connectDouble: typeof module.connectDouble
export declare const startDouble: typeof module.startDouble
export declare const DoubleError: typeof module.DoubleError
export type DoubleError = module.DoubleError
export declare const ProblemsError: typeof module.ProblemsError
export type ProblemsError = module.ProblemsError
export declare const RequestsNotSeenError: typeof module.RequestsNotSeenError
export type RequestsNotSeenError = module.RequestsNotSeenError
