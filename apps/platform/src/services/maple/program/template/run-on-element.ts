import type { TemplateContent } from '@grove/contract/maple/program/template-step.rules'
import type { ParameterValues } from '@grove/contract/maple/program/template-parameter.rules'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import { readRegistry } from '@grove/secure-element/host/run'
import { readContents } from '../../card/applet/card-contents.ts'
import { storeContents } from '../../card/applet/known-element.queries.ts'
import { delegationOf, openPurposeKeys } from '../../card/purpose-key/delegation.ts'
import { tokenNeed } from '../../card/purpose-key/token-need.queries.ts'
import type { ElementSession } from '../../card/session/element-session.ts'
import { withSession } from '../../card/session/open-session.ts'
import { maySend } from './may-send.ts'
import { prepareSteps, type ReadyStep } from './prepare-steps.ts'
import { runSteps, type StepsOutcome } from './run-steps.ts'
import { causeOf, StepError, stepErrorOf } from './step-cause.ts'
import { tokenDomains } from './token-plan.ts'
import { findElementKind } from './template-run.queries.ts'

/** The outcome of a template on one element: `refused` if nothing was sent. */
export interface ElementOutcome extends Omit<StepsOutcome, 'state'> {
  state: StepsOutcome['state'] | 'refused'
  sessionId: string | null
}

export interface ElementWork {
  actor: Actor
  cplc: string
  content: TemplateContent
  values: ParameterValues
  /** Whether someone approved that Grove signs tokens for these steps and this element. */
  isApproved?: boolean
  onSession?: (sessionId: string) => Promise<unknown>
  /** Before a step is sent. */
  onStep?: (index: number) => Promise<unknown>
}

export const refused = (
  cause: StepsOutcome['cause'],
  sessionId: string | null = null,
): ElementOutcome => ({
  state: 'refused',
  step: null,
  cause,
  rollback: null,
  receipts: [],
  sessionId,
})

/** Runs the steps of a template on one element, in a separate session. */
export async function runOnElement(
  context: ProgramContext,
  {
    actor,
    cplc,
    content,
    values,
    isApproved = false,
    onSession = async () => {},
    onStep,
  }: ElementWork,
): Promise<ElementOutcome> {
  const scope = scopeOf(actor)
  let sessionId: string | null = null
  try {
    const element = await findElementKind(context.db, cplc, scope)
    if (!element) return refused(causeOf('element_gone'))
    const { isVirtual } = element
    if (!maySend(actor, content)) return refused(causeOf('no_raw'))
    await assertTokens(context.db, cplc, tokenDomains(content, values))
    const steps = await prepareSteps(context, { content, values, scope, isVirtual })
    return await withSession(context, actor, { cplc, purpose: 'program' }, async (session) => {
      sessionId = session.id
      await onSession(session.id)
      const outcome = await runSteps(session, steps, {
        ...(onStep && { onStep }),
        delegation: async (domain, send) =>
          delegationOf(
            { domain, keys: await openPurposeKeys(context, { cplc, isApproved }) },
            send,
          ),
      })
      if (changesContents(steps)) await rememberContents(context, session)
      return { ...outcome, sessionId }
    })
  } catch (error) {
    return refused(stepErrorOf(error).reason, sessionId)
  }
}

/** Refuses a domain that is known to need tokens which nobody can create. @throws StepError */
async function assertTokens(
  db: ProgramContext['db'],
  cplc: string,
  domains: readonly string[],
): Promise<void> {
  for (const aid of domains)
    if ((await tokenNeed(db, [cplc], [aid])).isStuck)
      throw new StepError(causeOf('token_missing', { aid }))
}

const changing = new Set(['installApplet', 'deleteApplet', 'MplInstall', 'MplDelete'])
/** INSTALL and DELETE. */
const changingBytes = new Set(['E4', 'E6'])
const changesContents = (steps: readonly ReadyStep[]) =>
  steps.some(({ action }) =>
    action.kind === 'raw'
      ? changingBytes.has(action.command.slice(2, 4))
      : changing.has(action.kind),
  )

/** The card's final contents, if a channel can still query it. Nothing depends on it. */
async function rememberContents({ db }: ProgramContext, session: ElementSession): Promise<void> {
  const channel = session.ended() ? undefined : session.channel()
  if (!channel) return
  try {
    // A domain other than the issuer's sees only a part of the card.
    const issuer = await readRegistry(channel.send, 'issuer')
    if (issuer.length === 0) return
    const contents = await readContents(channel.send)
    await db.transaction().execute((tx) => storeContents(tx, session.cplc, contents))
  } catch {
    // The next reading of the card finds it.
  }
}
