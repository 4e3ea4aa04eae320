/** A reason not to start that a person can act on: printed as one sentence, exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
