/** How far a change of many devices has come. */
export interface BulkProgress {
  total: number
  done: number
  failures: readonly { id: string; error: unknown }[]
  /** Not reached yet, or left when the reader stopped it. */
  left: readonly string[]
}

/** Requests in flight at a time: quick, and no burden to the service. */
const width = 4

/**
 * Changes devices one by one and tells each step. Once stopped, those under way still finish, so
 * that what is told as left was not touched.
 */
export async function runBulk(
  ids: readonly string[],
  change: (id: string) => Promise<unknown>,
  onProgress: (progress: BulkProgress) => void,
  stop: AbortSignal,
): Promise<BulkProgress> {
  const queue = [...ids]
  const failures: { id: string; error: unknown }[] = []
  let done = 0
  const progress = (): BulkProgress => ({
    total: ids.length,
    done,
    failures: [...failures],
    left: [...queue],
  })
  const next = () => (stop.aborted ? undefined : queue.shift())
  const work = async () => {
    for (let id = next(); id !== undefined; id = next()) {
      try {
        await change(id)
        done += 1
      } catch (error) {
        failures.push({ id, error })
      }
      onProgress(progress())
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  return progress()
}
