/** A reason not to start that a person can fix: printed as one sentence, exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
