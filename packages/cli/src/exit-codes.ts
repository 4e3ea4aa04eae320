/** What the command ends with; the README documents them, and scripts rely on them. */
export const exitCodes = {
  published: 0,
  /** The service or the network failed, and trying again did not help. */
  failed: 1,
  /** The command line or the environment is not right. */
  usage: 2,
  /** The package broke a rule that keeps it from being published. */
  refused: 3,
  /** The key is not known, has ended, or is of another provider. */
  notAllowed: 4,
  /** The version has other bytes, or a higher one exists. */
  conflict: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure that is explained by its message alone. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}
