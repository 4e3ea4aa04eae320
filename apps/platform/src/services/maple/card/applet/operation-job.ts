import { runTargets } from '../../../../core/batch/run-targets.ts'
import type { JobDefinition } from '../../../../core/jobs/define-jobs.ts'
import { everything } from '../../../../core/scope.ts'
import type { CardContext } from '../context.ts'
import { findApplet } from './applet.queries.ts'
import { readVerifiedCap } from './cap-verification.ts'
import { findOperation } from './operation.queries.ts'
import { runTarget } from './run-target.ts'
import { finishTarget, nextTarget, setTargetProgress, startedTargets } from './target.queries.ts'

/**
 * Concurrent sessions of one operation. A session mostly waits for its card, so a few overlap well.
 * More would help less, and take database connections from everyone else.
 */
export const elementsAtOnce = 4

/**
 * Runs an operation on a few elements at a time. An element's outcome is stored before the next one
 * starts in its slot; an element that a killed process had started is read first, and continued from
 * there.
 */
export const operationJob: JobDefinition<CardContext, { id: string }> = {
  atOnce: 6,
  async run(context, { id }, { signal, progress }) {
    const { db } = context
    const left = await startedTargets(db, id)
    await runTargets({
      atOnce: elementsAtOnce,
      signal,
      read: async () => {
        const operation = await findOperation(db, id, everything)
        const applet = operation && (await findApplet(db, operation.applet.id, everything))
        if (!applet) return undefined
        progress(operation.succeeded + operation.unchanged + operation.failed, operation.total)
        return { operation, applet }
      },
      next: async () => left.shift() ?? nextTarget(db, id),
      run: async ({ cplc, step }, { operation, applet }) => {
        const file = await readVerifiedCap(context, applet)
        const result = await runTarget(context, {
          operation: { ...operation, isApproved: operation.approval?.state === 'approved' },
          applet,
          ...file,
          cplc,
          cutOffAt: step,
          report: (reached) => setTargetProgress(db, id, cplc, reached),
        })
        await db.transaction().execute((tx) => finishTarget(tx, id, cplc, result))
      },
    })
  },
}
