import { ApiProblem } from '../../../../api/problem.ts'

export interface BulkFailure {
  id: string
  error: unknown
}

/** The progress of a bulk change. */
export interface BulkProgress {
  total: number
  done: number
  failed: number
}

export interface BulkEnd extends BulkProgress {
  failures: readonly BulkFailure[]
  /** Not reached when the reader stopped it. */
  left: readonly string[]
}

/** Requests in flight at a time: fast, but no burden on the service. */
const width = 4

/** A refused request fails the same way again; a network failure may not. */
export const canSucceedLater = ({ error }: BulkFailure): boolean =>
  !(error instanceof ApiProblem) ||
  error.status >= 500 ||
  error.status === 408 ||
  error.status === 429 ||
  error.code === 'edit_conflict'

/**
 * Changes many items one by one and reports each step. When stopped, requests already under way still
 * finish, so that nothing reported as not reached was changed.
 */
export async function runBulk(
  ids: readonly string[],
  change: (id: string) => Promise<unknown>,
  onProgress: (progress: BulkProgress) => void,
  stop: AbortSignal,
): Promise<BulkEnd> {
  const failures: BulkFailure[] = []
  let next = 0
  let done = 0
  const progress = (): BulkProgress => ({ total: ids.length, done, failed: failures.length })
  const work = async () => {
    for (let id = ids[next]; id !== undefined && !stop.aborted; id = ids[next]) {
      next += 1
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
  return { ...progress(), failures, left: ids.slice(next) }
}
