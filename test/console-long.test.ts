import { longChecks } from './console/all-checks.js'
import { declareChecks } from './console/declare-checks.js'

await declareChecks(longChecks)
