/** What the process ends with. */
export const exitCodes = {
  done: 0,
  /** Checked, and found wrong. */
  wrong: 1,
  /** Wrong usage, or could not start. */
  unusable: 2,
  /** Stopped with violations, under `--fail-on-violation`. */
  violations: 3,
  /** Stopped by a second signal, before it was done. */
  forced: 130,
} as const
