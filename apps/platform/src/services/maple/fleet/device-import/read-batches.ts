import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { JobError } from '../../../../core/jobs/define-jobs.ts'
import { startThread } from '../../../../core/start-thread.ts'
import type { ImportBatch } from './import-batch.ts'
import type { ReadAnswer, ReadRequest, ReadSettings } from './import-thread.ts'

/**
 * Reads a file as batches of checked rows in a worker thread, which gets one chunk of the file at a
 * time: whatever its size, only a few chunks are in memory.
 */
export async function* readBatches(
  source: Readable,
  settings: ReadSettings,
): AsyncGenerator<ImportBatch, void> {
  const thread = startThread(new URL('./import-thread.ts', import.meta.url), settings)
  const ask = async (request: ReadRequest): Promise<ImportBatch[]> => {
    // `once` rejects when the thread fails.
    const answered = once(thread, 'message')
    thread.postMessage(request, [])
    const [answer] = (await answered) as [ReadAnswer]
    if ('failed' in answer)
      throw new JobError(answer.failed, 'The file begins as UTF-16 but is not.', {
        isFinal: true,
      })
    return answer.batches
  }
  try {
    for await (const piece of source as AsyncIterable<Buffer>) yield* await ask(piece)
    yield* await ask(null)
  } finally {
    source.destroy()
    await thread.terminate()
  }
}

/** Handles each item while the next is produced. */
export async function eachAhead<T>(
  items: AsyncGenerator<T, void>,
  handle: (item: T) => Promise<void>,
): Promise<void> {
  try {
    let next = items.next()
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = items.next()
      // Heard of when it is awaited.
      next.catch(() => {})
      await handle(value)
    }
  } finally {
    await items.return()
  }
}
