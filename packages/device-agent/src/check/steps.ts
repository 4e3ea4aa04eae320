/** Why a step failed, as a sentence that says what was expected. */
export class StepFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StepFailed'
  }
}

export function expected(isSo: boolean, words: string): asserts isSo {
  if (!isSo) throw new StepFailed(words)
}

/** Runs steps in order and prints each result. */
export function stepRunner(print: (line: string) => void) {
  let failed = 0
  let passed = 0
  return {
    /** Returns the step's result; undefined if it failed. */
    step: async <Found>(words: string, run: () => Promise<Found>): Promise<Found | undefined> => {
      try {
        const found = await run()
        passed++
        print(`ok    ${words}`)
        return found
      } catch (error) {
        failed++
        print(`FAIL  ${words}`)
        print(`      ${error instanceof Error ? error.message : String(error)}`)
        return undefined
      }
    },
    note: (words: string) => print(`      ${words}`),
    /** The exit code. */
    end: (): number => {
      print(
        failed === 0
          ? `\nAll ${passed} steps passed.`
          : `\n${failed} of ${passed + failed} steps failed.`,
      )
      return failed === 0 ? 0 : 1
    },
  }
}

export type StepRunner = ReturnType<typeof stepRunner>

/** A queue of events that steps wait for. */
export function inbox<Item>() {
  const waiting: (() => void)[] = []
  const items: Item[] = []
  let over: string | undefined
  const wake = () => {
    for (const each of waiting.splice(0)) each()
  }
  return {
    items,
    add: (item: Item): void => {
      items.push(item)
      wake()
    },
    end: (reason: string): void => {
      over ??= reason
      wake()
    },
    /** The first match that was not there before `from`. */
    until: async <Found extends Item>(
      fits: (item: Item) => item is Found,
      what: string,
      { ms = 10_000, from = 0 } = {},
    ): Promise<Found> => {
      const deadline = performance.now() + ms
      for (;;) {
        const found = items.slice(from).find(fits)
        if (found !== undefined) return found
        if (over !== undefined) throw new StepFailed(`${what} did not come: ${over}.`)
        const left = deadline - performance.now()
        if (left <= 0) throw new StepFailed(`${what} did not come within ${ms / 1000} s.`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          waiting.push(() => {
            clearTimeout(timer)
            resolve()
          })
        })
      }
    },
  }
}
