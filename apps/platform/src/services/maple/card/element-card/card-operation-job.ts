import type { JobDefinition } from '../../../../core/jobs/define-jobs.ts'
import type { CardContext } from '../context.ts'
import { runCardOperation } from './run-card-operation.ts'

/** An interrupted run is repeated: it reads the card, and sends nothing again. */
export const cardOperationJob: JobDefinition<CardContext, { id: string }> = {
  // Most of the time it waits for a card.
  atOnce: 6,
  maxAttempts: 3,
  async run(context, { id }, job) {
    await runCardOperation(context, id, job)
  },
}
