import { quickChecks } from './console/all-checks.js'
import { declareChecks } from './console/declare-checks.js'

await declareChecks(quickChecks)
