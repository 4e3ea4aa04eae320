import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import { mapleRights } from '@grove/contract/maple/access/right.rules'
import { CommandError } from '@grove/secure-element/host/command-error'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import { record } from '../../fleet/context.ts'
import type { SessionContext } from '../context.ts'
import type { ElementSession } from '../session/element-session.ts'
import { compareContents } from '../element-card/found-difference.ts'
import { withSession } from '../session/open-session.ts'
import { isSelectable, selectDomain } from '../session/select-domain.ts'
import type { AppletFacts } from './applet.queries.ts'
import { authorityOf, type Authority } from './authority.ts'
import { act, commandOf, type OperationAsked, type TargetWork } from './card-actions.ts'
import { readContents, withKnown, type CardContents } from './card-contents.ts'
import { knownElements, storeContents, type KnownElement } from './known-element.queries.ts'
import {
  finding,
  findingsOfElement,
  isRefused,
  planOperation,
  type CardAction,
} from './plan-operation.ts'
import { likelyCauses } from './likely-cause.ts'
import { knowledgeOf } from './target-knowledge.ts'
import { outcomeOf, refusalOf, refusedBy, type TargetResult } from './target-outcome.ts'

/** Encrypts and authenticates commands; every card that has a secure channel has this level. */
const level = 0x03

/** The requester; the operation's id is the origin. */
const actorOf = ({ createdBy, serviceId, id }: OperationAsked): Actor => ({
  id: createdBy ?? '',
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'applet.operation' },
  mandate: { rights: mapleRights, scope: scopeOfService(serviceId) },
})

/** How often a card is reread and continued after a command without a definite answer. */
const maxRecoveries = 2

/**
 * Runs an operation on one element in a session. A command without a definite answer is never
 * repeated: the card is read in a new session, and the operation is replanned from its actual state.
 */
export async function runTarget(context: SessionContext, work: TargetWork): Promise<TargetResult> {
  const lost = cutOff(work)
  for (;;) {
    const result = await attempt(context, work)
    if (!('lostAt' in result)) return { ...result, findings: [...lost, ...result.findings] }
    lost.push(finding('note', 'no_answer', { step: result.lostAt }))
    if (lost.length > maxRecoveries) return { state: 'unknown', findings: lost }
  }
}

/** A killed process may have been sending a command that changes the card: its response is lost. */
const cutOff = ({ cutOffAt }: TargetWork): AppletFinding[] =>
  cutOffAt === 'delete' || cutOffAt === 'load' || cutOffAt === 'install'
    ? [finding('note', 'no_answer', { step: cutOffAt })]
    : []

async function attempt(
  context: SessionContext,
  work: TargetWork,
): Promise<TargetResult | { lostAt: string }> {
  const at = { step: 'open' }
  try {
    const [element] = await knownElements(context.db, [work.cplc], {
      appletId: work.applet.id,
      scope: scopeOfService(work.operation.serviceId),
      domain: work.operation.input.domain,
    })
    if (!element)
      return refusedBy(finding('refused', 'unexpected', { reason: 'the element is gone' }))
    const { facts } = await knowledgeOf(element)
    // Whether another session has the element shows when opening one.
    const findings = findingsOfElement(
      { kind: work.operation.kind, applet: work.applet },
      { ...facts, isBusy: false },
    )
    if (isRefused(findings)) return { state: 'refused', findings }
    const purpose = work.operation.kind === 'read' ? 'read' : 'applet'
    return await withSession(
      context,
      actorOf(work.operation),
      { cplc: work.cplc, purpose },
      (session) => inSession(context, work, { element, session, isOwn: true, at }),
    )
  } catch (error) {
    return outcomeOf(error, at.step)
  }
}

/**
 * The same in a session that a program has open, which has its own domain selected and a channel to
 * it afterwards. @throws SessionError
 */
export async function runTargetIn(
  context: SessionContext,
  work: TargetWork,
  session: ElementSession,
): Promise<TargetResult> {
  const { operation, applet, cplc } = work
  const at = { step: 'open' }
  const [element] = await knownElements(context.db, [cplc], {
    appletId: applet.id,
    scope: scopeOfService(operation.serviceId),
  })
  if (!element)
    return refusedBy(finding('refused', 'unexpected', { reason: 'the element is gone' }))
  const { facts } = await knowledgeOf(element)
  const findings = findingsOfElement({ kind: operation.kind, applet }, { ...facts, isBusy: false })
  if (isRefused(findings)) return { state: 'refused', findings }
  return inSession(context, work, { element, session, isOwn: false, at })
}

interface At {
  element: KnownElement
  session: ElementSession
  /** The session was opened for this, so nothing in it has changed the card. */
  isOwn: boolean
  /** The current step, in case of an interruption. */
  at: { step: string }
}

async function inSession(
  context: SessionContext,
  work: TargetWork,
  { element, session, isOwn, at }: At,
): Promise<TargetResult> {
  const { db } = context
  const { operation, applet, cap, cplc, report } = work
  const { kind, input, isApproved = false } = operation
  const { domain } = input
  const step = async (name: 'open' | 'read' | CardAction['kind'] | 'check') => {
    at.step = name
    await report({ step: name, sessionId: session.id })
  }
  const { facts, contents: known } = await knowledgeOf(element)
  await step('open')
  if (!(await isSelectable(session, domain)))
    return refusedBy(finding('refused', 'domain_missing', { aid: domain ?? '' }))
  const channel = await session.openChannel({ level })
  await step('read')
  const seen = await readContents(channel.send, known)
  if (isOwn)
    await compareContents(
      db,
      { cplc, sessionId: session.id, at: new Date(context.now()).toISOString() },
      (believed) => withKnown(believed, seen, domain),
    )
  const before = withKnown(known, seen, domain)
  const authority = await authorityOf(context, { cplc, cap, input, isApproved }, channel)
  const plan = planOperation(
    { kind, applet, instances: input.instances, isOurs: element.isOurs, flaws: work.flaws },
    facts,
    before,
  )
  const { actions } = plan
  const findings = [...plan.findings, ...findingsOfAuthority(applet, actions, authority)]
  let failure: CommandError | undefined
  let isLoaded = false
  const done: CardAction[] = []
  for (const action of isRefused(findings) ? [] : actions) {
    await step(action.kind)
    try {
      const proved = await act(work, channel, { action, authority }, (sent, blocks) =>
        report({ sent, blocks }),
      )
      findings.push(...proved)
    } catch (error) {
      // The card has answered: later steps would no longer fit.
      if (!(error instanceof CommandError)) throw error
      failure = error
      break
    }
    done.push(action)
    isLoaded ||= action.kind === 'load'
  }
  const failedAt = at.step
  await step('check')
  const read = async () => {
    // A card that refused may have lost count of the channel.
    const open = failure ? await reopened(session, domain) : channel
    const contents = await readContents(open.send, withModules(before, done, applet))
    return withKnown(without(before, done), contents, domain)
  }
  const after = done.length === 0 && !failure ? before : await read().catch(whenRefused(failure))
  if (after) await store({ db }, work, { before, after, hasChanged: done.length > 0, isLoaded })
  if (failure) {
    const isLeft = isLoaded && kind !== 'uninstall'
    return {
      state: 'failed',
      findings: [
        ...findings,
        refusalOf(failure, failedAt),
        ...likelyCauses({
          failure,
          step: failedAt,
          applet,
          facts,
          contents: before,
        }),
        ...(isLeft ? [finding('note', 'left_loaded')] : []),
      ],
    }
  }
  if (isRefused(findings)) return { state: 'refused', findings }
  if (kind === 'read') return { state: 'succeeded', findings }
  return { state: done.length > 0 ? 'succeeded' : 'unchanged', findings }
}

/** A domain that cannot manage contents gets none of the operation's commands. */
function findingsOfAuthority(
  applet: AppletFacts,
  actions: readonly CardAction[],
  authority: Authority,
): AppletFinding[] {
  const { domain: aid, isDelegated, isUnable } = authority
  if (aid === undefined || actions.length === 0) return []
  if (isUnable) return [finding('refused', 'domain_unable', { aid })]
  if (!isDelegated) return []
  const isCovered = actions.every((action) =>
    authority.tokenOf(commandOf(applet, action, authority)),
  )
  return isCovered ? [] : [finding('refused', 'token_missing', { aid })]
}

async function reopened(
  session: ElementSession,
  domain: string | undefined,
): Promise<SecureChannel> {
  await selectDomain(session, domain)
  return session.openChannel({ level })
}

/** People see the card's first refusal. */
const whenRefused = (failure: CommandError | undefined) => (error: unknown) => {
  if (failure) return undefined
  throw error
}

interface Found {
  before: CardContents
  after: CardContents
  hasChanged: boolean
  isLoaded: boolean
}

const store = (
  { db }: Pick<SessionContext, 'db'>,
  { operation, applet, cplc }: TargetWork,
  { before, after, hasChanged, isLoaded }: Found,
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { id: appletId, packageAid, version } = applet
    await storeContents(tx, cplc, after, { appletId, packageAid, version, isLoaded })
    if (!hasChanged || operation.kind === 'read') return
    await record(tx, actorOf(operation), `element.${operation.kind}`, cplc, {
      before: { [packageAid]: versionOn(before, packageAid) },
      after: { [packageAid]: versionOn(after, packageAid) },
    })
  })

const versionOn = ({ loadFiles }: CardContents, aid: string) =>
  loadFiles.find((each) => each.aid === aid)?.version ?? null

/** The contents after the completed deletions. */
const without = (contents: CardContents, done: readonly CardAction[]): CardContents => {
  const gone = new Set(done.flatMap((action) => (action.kind === 'delete' ? [action.aid] : [])))
  return {
    ...contents,
    applications: contents.applications.filter(({ aid }) => !gone.has(aid)),
    loadFiles: contents.loadFiles.filter(({ aid }) => !gone.has(aid)),
  }
}

/** Properties of newly installed instances that the card does not report. */
const withModules = (
  contents: CardContents,
  done: readonly CardAction[],
  { packageAid }: AppletFacts,
): CardContents => ({
  ...contents,
  applications: [
    ...contents.applications,
    ...done.flatMap((action) =>
      action.kind === 'install'
        ? [
            {
              aid: action.instance.instanceAid,
              moduleAid: action.instance.moduleAid,
              loadFileAid: packageAid,
              state: '',
              isDomain: false,
            },
          ]
        : [],
    ),
  ].toReversed(),
})
