import { runTargets } from '../../../../core/batch/run-targets.ts'
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
    await runTargets({
      atOnce: elementsAtOnce,
      signal,
      read: async () => {
        const counts = await countRuns(db, batch)
        progress(counts.done, counts.total)
        return counts
      },
      next: () => nextRun(db, batch),
      run: (work) => runOne(context, work, signal),
    })
  },
}

const cutOff = causeOf(
  'cut_off',
  'The server stopped while the script ran. Look at the session to see how far it got.',
)
