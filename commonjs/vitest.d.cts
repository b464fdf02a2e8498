/** The types of the CommonJS entry: those of the ES module. */
import type * as module from '../dist/runners/vitest.js' with { 'resolution-mode': 'import' }

export type * from '../dist/runners/vitest.js' with { 'resolution-mode': 'import' }
export declare const doubleFixtures: typeof module.doubleFixtures
