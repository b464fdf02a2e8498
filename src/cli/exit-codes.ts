/** The exit codes of the process. */
export const exitCodes = {
  success: 0,
  /** `check` found problems. */
  problems: 1,
  /** The usage was wrong, or the command failed. */
  failure: 2,
  /** There were violations, with `--fail-on-violation`. */
  violations: 3,
  /** A second signal ended the process before it had stopped. */
  forced: 130,
} as const
