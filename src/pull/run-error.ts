/** The error of `pull` and `verify`: a run that cannot start or continue. The message is for the user. */
export class RunError extends Error {
  override readonly name = 'RunError'
}
