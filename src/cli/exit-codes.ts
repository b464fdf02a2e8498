/** The exit codes of the process. */
export const exitCodes = {
  success: 0,
  /** `check` found problems. */
  problems: 1,
  /** The usage was wrong, or the command failed. */
  failure: 2,
  /** There were violations, with `--fail-on-violation`. */
  violations: 3,
  /** The coverage was less than `--min-coverage`. */
  coverage: 4,
  /** The command of `run` cannot be executed. Shells use this code and the next two in the same way. */
  notExecutable: 126,
  /** The command of `run` was not found. */
  notFound: 127,
  /** Added to the number of the signal that ended the command of `run`. */
  signalBase: 128,
  /** A second signal ended the process before it had stopped. */
  forced: 130,
} as const

/** An exit code of the process: one of `exitCodes`, or that of the command of `run`. An integer from 0 to 255. */
export type ExitCode = number
