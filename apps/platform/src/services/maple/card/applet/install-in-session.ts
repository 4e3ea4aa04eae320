import { CommandError } from '@grove/secure-element/host/command-error'
import { overTheCard } from '@grove/secure-element/privileges'
import type { Actor } from '../../../../core/actor.ts'
import { CallError } from '../../../../core/sandbox/sandbox.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { type CardContext, appletEvents as events } from '../context.ts'
import type { ElementSession } from '../session/element-session.ts'
import { required } from './applet.service.ts'
import { readVerifiedCap } from './cap-verification.ts'
import { instancesFrom } from './instances-from.ts'
import { findOperation, insertOperation } from './operation.queries.ts'
import { runTargetIn } from './run-target.ts'
import {
  finishTarget,
  nextTarget,
  setTargetProgress,
  type TargetProgress,
} from './target.queries.ts'
import { refusalOf, type TargetResult } from './target-outcome.ts'

/**
 * Installs an applet in a program's session, as an operation with one element, whose page shows the
 * origin. Existing contents of the card stay unchanged.
 * @throws CallError with the findings if it was not installed; ProblemError; SessionError.
 */
export async function installInSession(
  context: CardContext,
  actor: Actor,
  session: ElementSession,
  { appletId, instances }: { appletId: string; instances: unknown },
): Promise<{ state: string; findings: string[] }> {
  const { db } = context
  const scope = scopeOf(actor)
  const { cplc } = session
  if (!uuid.test(appletId)) throw new CallError('TypeError', `${appletId} is not an applet id.`)
  const applet = await required(db, actor, appletId)
  const file = await readVerifiedCap(context, applet)
  const input = { instances: instancesFrom(instances) }
  const powers = input.instances?.flatMap(({ privileges = [] }) => privileges) ?? []
  if (powers.some((name) => overTheCard.has(name)))
    throw new CallError(
      'PermissionError',
      'A program cannot grant an applet privileges over the whole card. Use an operation on the applet’s page.',
    )
  const id = await db.transaction().execute(async (tx) => {
    const operationId = await insertOperation(tx, {
      serviceId: serviceOf(scope),
      appletId,
      kind: 'install',
      input,
      cplcs: [cplc],
      createdBy: actor.id,
    })
    await nextTarget(tx, operationId)
    const after = { operationId, elements: 1, session: session.id, ...input }
    await events.record(tx, actor, 'applet.install', appletId, { after })
    return operationId
  })
  const operation = await findOperation(db, id, scope)
  if (!operation) throw new Error(`The operation ${id} vanished.`)
  const end = (result: TargetResult) =>
    db.transaction().execute((tx) => finishTarget(tx, id, cplc, result))
  let result: TargetResult
  try {
    const report = (reached: TargetProgress) => setTargetProgress(db, id, cplc, reached)
    const work = { operation, applet, ...file, cplc, cutOffAt: null, report }
    result = await runTargetIn(context, work, session)
  } catch (error) {
    if (!(error instanceof CommandError)) {
      // The session shows what happened; the card may or may not have done it.
      await end({ state: 'unknown', findings: [] })
      throw error
    }
    result = { state: 'failed', findings: [refusalOf(error, 'read')] }
  }
  await end(result)
  const findings = result.findings.map(({ message }) => message)
  if (result.state !== 'succeeded' && result.state !== 'unchanged')
    throw new CallError('InstallError', findings.join(' ') || 'The applet was not installed.', {
      state: result.state,
      codes: result.findings.map(({ code }) => code),
    })
  return { state: result.state, findings }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
