import { ApiProblem } from '../../../../api/problem.ts'

export interface BulkFailure {
  id: string
  error: unknown
}

/** How far a change of many has come. */
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

/** Requests in flight at a time: quick, and no burden to the service. */
const width = 4

/** A refusal of the request itself is the same the next time; a failure on the way may not be. */
export const canSucceedLater = ({ error }: BulkFailure): boolean =>
  !(error instanceof ApiProblem) ||
  error.status >= 500 ||
  error.status === 408 ||
  error.status === 429 ||
  error.code === 'edit_conflict'

/**
 * Changes many one by one and reports each step. Once stopped, requests under way still finish,
 * so that nothing reported as left was changed.
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
