/** Lets a service send values that change in every read. */
import type { Switches } from './insights-service.js'

/** Adds changing values to switches: a random property, a clock and a counter in each insight, and a random property in each error. */
export function addChangingValues(switches: Switches): Switches {
  let count = 0
  return {
    ...switches,
    show: (insight, asked) => {
      count += 1
      const changing = { etag: Math.random(), servedAt: performance.now(), views: count }
      return { ...(switches.show?.(insight, asked) ?? insight), ...changing }
    },
    change: (answer, asked) => {
      switches.change?.(answer, asked)
      const { body, status } = answer
      if (status >= 400 && typeof body === 'object') Object.assign(body ?? {}, { requestId: Math.random() })
    },
  }
}

/** The names of these values in a report. */
export const changingValueNames = ['[].etag', '[].servedAt', '[].views', 'requestId']
