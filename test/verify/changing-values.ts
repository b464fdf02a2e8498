/** Noise of a service: values that differ in every read. */
import type { Switches } from './insights-service.js'

/** Adds noise to switches: a random property, a clock and a counter in each insight, and a random property in each error. */
export function withNoise(switches: Switches): Switches {
  let count = 0
  return {
    ...switches,
    show: (insight, asked) => {
      count += 1
      const noise = { etag: Math.random(), servedAt: performance.now(), views: count }
      return { ...(switches.show?.(insight, asked) ?? insight), ...noise }
    },
    change: (answer, asked) => {
      switches.change?.(answer, asked)
      const { body, status } = answer
      if (status >= 400 && typeof body === 'object') Object.assign(body ?? {}, { requestId: Math.random() })
    },
  }
}

/** The names of the noise in a report. */
export const noiseNames = ['[].etag', '[].servedAt', '[].views', 'requestId']
