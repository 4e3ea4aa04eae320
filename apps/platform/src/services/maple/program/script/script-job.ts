import type { JobDefinition } from '../../../../core/jobs/define-jobs.ts'
import type { ProgramContext } from '../context.ts'
import { causeOf, runOne } from './run-script.ts'
import { countRuns, endCutOff, nextRun } from './script-run.queries.ts'

/** As with applets: a session waits for its card nearly all the time. */
const elementsAtOnce = 4

/**
 * Runs a batch, a few elements at a time. A run that a killed process had started is not repeated: it
 * is unknown which of its commands the card has run.
 */
export const scriptJob: JobDefinition<ProgramContext, { batch: string }> = {
  atOnce: 6,
  async run(context, { batch }, { signal, progress }) {
    const { db } = context
    await endCutOff(db, batch, cutOff)
    let hasFailed = false
    const runElements = async () => {
      for (;;) {
        const { done, total } = await countRuns(db, batch)
        progress(done, total)
        signal.throwIfAborted()
        if (hasFailed) return
        const work = await nextRun(db, batch)
        if (!work) return
        await runOne(context, work, signal)
      }
    }
    const ended = await Promise.allSettled(
      Array.from({ length: elementsAtOnce }, () =>
        runElements().catch((error: unknown) => {
          hasFailed = true
          throw error
        }),
      ),
    )
    const failed = ended.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  },
}

const cutOff = causeOf(
  'cut_off',
  'The server stopped while the script ran. Look at the session to see how far it got.',
)
