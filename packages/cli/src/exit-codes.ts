/** Exit codes of the command. The README documents them, and scripts rely on them. */
export const exitCodes = {
  published: 0,
  /** The service or the network failed, and retries did not help. */
  failed: 1,
  /** The command line or the environment is invalid. */
  usage: 2,
  /** The package violates a rule that blocks publishing. */
  refused: 3,
  /** The key is unknown, expired, or of another provider. */
  notAllowed: 4,
  /** The version exists with other bytes, or a higher one exists. */
  conflict: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure that its message explains completely. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}
