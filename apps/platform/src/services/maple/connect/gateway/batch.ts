interface Options<Item> {
  everyMs: number
  most: number
  /** After a failure, waiting items with the same key fail too: nothing overtakes it. */
  keyOf?: (item: Item) => unknown
}

/**
 * Collects requests for a moment and processes them together; each gets its own answer, and an answer
 * that is an error rejects. One batch runs at a time: while the database is slow, the next ones grow
 * instead of piling up.
 */
export function batched<Item, Answer>(
  run: (items: Item[]) => Promise<readonly (Answer | Error)[]>,
  { everyMs, most, keyOf }: Options<Item>,
): (item: Item) => Promise<Answer> {
  interface Waiting {
    item: Item
    resolve: (answer: Answer) => void
    reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let isBusy = false

  async function work() {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      const failed = new Map<unknown, unknown>()
      const refuse = ({ item, reject }: Waiting, error: unknown) => {
        if (keyOf) failed.set(keyOf(item), error)
        reject(error)
      }
      try {
        const answers = await run(batch.map(({ item }) => item))
        for (const [index, each] of batch.entries()) {
          const answer = answers[index]
          if (index >= answers.length) refuse(each, new Error('The batch has no answer for this.'))
          else if (answer instanceof Error) refuse(each, answer)
          else each.resolve(answer as Answer)
        }
      } catch (error) {
        for (const each of batch) refuse(each, error)
      }
      if (failed.size > 0) waiting = waiting.filter((each) => !isRefused(each, failed))
    }
    isBusy = false
  }
  function isRefused({ item, reject }: Waiting, failed: ReadonlyMap<unknown, unknown>): boolean {
    const key = keyOf?.(item)
    if (!failed.has(key)) return false
    reject(failed.get(key))
    return true
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isBusy) return
      isBusy = true
      setTimeout(() => void work(), everyMs)
    })
}
