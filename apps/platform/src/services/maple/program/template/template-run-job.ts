import { readParameters } from '@grove/contract/maple/program/template-parameter.rules'
import type { Actor } from '../../../../core/actor.ts'
import { runTargets } from '../../../../core/batch/run-targets.ts'
import type { JobDefinition } from '../../../../core/jobs/define-jobs.ts'
import { everything, scopeOfService } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import { refused, runOnElement, type ElementOutcome } from './run-on-element.ts'
import { causeOf } from './step-cause.ts'
import { findVersion } from './template.queries.ts'
import { isAsApproved, openInput } from './template-run.service.ts'
import {
  findRun,
  finishTarget,
  forgetInput,
  nextTarget,
  setTargetStep,
  startedTargets,
  type RunRow,
} from './template-run.queries.ts'

/** How many elements of one run have a session at a time: they hide each other's waiting. */
export const elementsAtOnce = 4

/** The requester, with their rights at the time; the id of the run is the origin. */
const actorOf = ({ createdBy, serviceId, id, rightNames }: RunRow): Actor => ({
  id: createdBy ?? '',
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'template.run' },
  mandate: { rights: rightNames, scope: scopeOfService(serviceId) },
})

/**
 * Runs a template on a few elements at a time. An element's outcome is stored before the next one
 * starts in its slot. What a killed process was doing at a step is unknown, so the element is left
 * unchanged.
 */
export const templateRunJob: JobDefinition<ProgramContext, { id: string }> = {
  atOnce: 6,
  async run(context, { id }, { signal, progress }) {
    const { db } = context
    const first = await findRun(db, id, everything)
    if (!first?.sealedInput) return
    const version = await findVersion(db, first.template.id, first.version)
    if (!version) return
    const { values } = readParameters(version.parameters, openInput(context, first.sealedInput))
    const isUnchanged = !first.approval || (await isAsApproved(db, first, version, values))
    const left = await startedTargets(db, id)
    await runTargets({
      atOnce: elementsAtOnce,
      signal,
      read: async () => {
        const run = await findRun(db, id, everything)
        if (run) progress(run.succeeded + run.failed, run.total)
        return run
      },
      next: async () => left.shift() ?? nextTarget(db, id),
      run: async ({ cplc, step, sessionId: before }, run) => {
        const result =
          step === null
            ? await runUnlessChanged(isUnchanged, () =>
                runOnElement(context, {
                  actor: actorOf(run),
                  cplc,
                  content: version,
                  values,
                  isApproved: first.approval !== null,
                  onSession: (sessionId) => setTargetStep(db, id, cplc, { sessionId }),
                  onStep: (index) => setTargetStep(db, id, cplc, { step: index }),
                }),
              )
            : cutOff(step, before)
        await db.transaction().execute((tx) => finishTarget(tx, id, cplc, result))
      },
    })
    await forgetInput(db, id)
  },
}

const runUnlessChanged = async (isUnchanged: boolean, work: () => Promise<ElementOutcome>) =>
  isUnchanged ? work() : refused(causeOf('plan_changed'))

const cutOff = (step: number, sessionId: string | null): ElementOutcome => ({
  state: 'unknown',
  step,
  cause: causeOf('no_answer', { reason: 'the server stopped' }),
  rollback: null,
  receipts: [],
  sessionId,
})
