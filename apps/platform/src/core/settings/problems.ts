import { StartupError } from '../startup-error.ts'

/** Gathers the faults of the settings, so that one start reports all of them. */
export class Problems {
  readonly #sentences: string[] = []

  /** Reads a setting; undefined if it is refused. */
  at<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (error instanceof StartupError) this.#sentences.push(error.message)
      // A later setting may fail only because an earlier one could not be read.
      else if (this.#sentences.length === 0) throw error
      return undefined
    }
  }

  /** @throws StartupError with every sentence, if there is one. */
  refuse(): void {
    const [first, ...more] = new Set(this.#sentences)
    if (first === undefined) return
    throw new StartupError(
      more.length === 0
        ? first
        : `Grove does not start, for ${more.length + 1} reasons:\n${[first, ...more].map((each) => `- ${each}`).join('\n')}`,
    )
  }
}
