/**
 * Collects requests for a moment and processes them together; each gets its own answer. One batch
 * runs at a time: while the database is slow, the next ones grow instead of piling up.
 */
export function batched<Item, Answer>(
  run: (items: Item[]) => Promise<readonly Answer[]>,
  { everyMs, most }: { everyMs: number; most: number },
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
      try {
        const answers = await run(batch.map(({ item }) => item))
        for (const [index, { resolve, reject }] of batch.entries())
          if (index < answers.length) resolve(answers[index] as Answer)
          else reject(new Error('The batch has no answer for this.'))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isBusy = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isBusy) return
      isBusy = true
      setTimeout(() => void work(), everyMs)
    })
}
