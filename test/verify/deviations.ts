/** All deviations of the Insights service: each is one switch, with the probe that must find it and the text of the spec at its line. */
import type { Deviation } from './deviation.js'
import { requestDeviations } from './request-deviations.js'
import { responseDeviations } from './response-deviations.js'

/** All deviations. */
export const deviations: readonly Deviation[] = [...responseDeviations, ...requestDeviations]
