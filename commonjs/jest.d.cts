/** The types of the CommonJS entry: those of the ES module. */
import type * as module from '../dist/runners/jest.js' with { 'resolution-mode': 'import' }

export type * from '../dist/runners/jest.js' with { 'resolution-mode': 'import' }
export declare const withSandbox: typeof module.withSandbox
