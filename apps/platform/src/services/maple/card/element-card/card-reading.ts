import type { Calls } from '@grove/contract/calls'
import type { CardReading, StoredCardReading } from '@grove/contract/maple/card/element-card'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import { statesOf } from '@grove/secure-element/life-cycle'
import type { AnyActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { storeContents } from '../applet/known-element.queries.ts'
import { record } from '../../fleet/context.ts'
import type { MapleContext } from '../../base/context.ts'
import { domainsOf, storeDomains } from '../domain/domain.queries.ts'
import { planDomains } from '../domain/domain.rules.ts'
import { readCplc } from '../../base/cplc-text.ts'
import {
  changeElement,
  findElement,
  lockElement,
  setDifference,
} from '../../fleet/element/element.queries.ts'
import type { CardFacts, Keys } from './card-facts.ts'
import { leaveDomains } from '../key/key.queries.ts'
import { findReading, isUncertain, keepReading } from './card-reading.queries.ts'
import { cardFailed } from './card-failed.ts'
import { believedOf } from './difference.queries.ts'
import { findDifference, keepDifference } from './found-difference.ts'

type ReadingCall = Calls['GET /api/maple/se/card/reading']

/** @throws ProblemError `not_found`. */
export async function showReading(
  { db }: MapleContext,
  actor: AnyActor,
  query: QueryOf<ReadingCall>,
): Promise<ResponseOf<ReadingCall>> {
  const cplc = readCplc('cplc', query.cplc)
  const element = await findElement(db, cplc, scopeOf(actor))
  if (!element) throw new ProblemError('not_found', `There is no element ${cplc}.`)
  const kept = await findReading(db, cplc)
  if (!kept) return { reading: null }
  const { reading, readBy } = kept
  const said = reading.state.after
  const difference = differenceOf(reading.domains.items, await domainsOf(db, cplc))
  const sinceThen: StoredCardReading['sinceThen'] = {
    state: said === element.state ? null : { before: said, after: element.state },
    domains: difference,
    isUncertain: await isUncertain(db, cplc),
  }
  return { reading: { ...reading, readBy, sinceThen } }
}

/** A card may be in a state that it cannot be brought to from here: it is still valid. */
function differenceOf(before: readonly SecurityDomain[], after: readonly SecurityDomain[]) {
  const { plan } = planDomains({ before, list: after, isReplacing: true, cardState: undefined })
  return { ...plan, refusals: [] }
}

interface Read {
  session: { id: string; cplc: string }
  facts: CardFacts
  /** The keys that other security domains listed. */
  domainKeys?: ReadonlyMap<string, Keys>
  action: 'element.read' | 'element.lock' | 'element.unlock' | 'element.domains'
  /** Grove itself changed the card, or someone did in the session. */
  isExpected?: boolean
}

/** Another element's card says nothing about this one. @throws ProblemError `card_failed`. */
export function assertSameCard(
  { id, cplc }: Read['session'],
  { cardCplc }: Pick<CardFacts, 'cardCplc'>,
): void {
  if (cardCplc === null || cardCplc === cplc) return
  throw cardFailed(
    `The card has the CPLC ${cardCplc}, so it belongs to another element. Nothing was stored.`,
    id,
  )
}

/** Stores the card's report, and returns how it differs from the records. */
export function storeReading(
  { db, now }: MapleContext,
  actor: AnyActor,
  {
    session,
    facts,
    action,
    domainKeys: said = new Map(),
    isExpected = action !== 'element.read',
  }: Read,
): Promise<CardReading> {
  assertSameCard(session, facts)
  const { id: sessionId, cplc } = session
  return db.transaction().execute(async (tx) => {
    const before = await lockElement(tx, cplc, scopeOf(actor))
    if (!before) throw new ProblemError('not_found', `There is no element ${cplc}.`)
    const { contents, cardCplc, keyVersions, keys } = facts
    const state: ElementState = facts.state ?? before.state
    const known = await domainsOf(tx, cplc)
    const cardState = statesOf('card').find((each) => each === before.state)
    const { plan, after } = planDomains({
      before: known,
      list: facts.domains,
      isReplacing: true,
      cardState,
    })
    const readAt = new Date(now()).toISOString()
    const believed = await believedOf(tx, cplc, sessionId)
    const readNow = [...said].map(([domainAid, each]) => ({ domainAid, readAt, keys: each }))
    const found = await findDifference(tx, cplc, believed, {
      state: state === before.state ? null : { before: before.state, after: state },
      known,
      plan,
      facts,
      domainKeys: readNow,
      isExpected,
    })
    const isSame =
      state === before.state && plan.added.length + plan.changed.length + plan.removed.length === 0
    if (!isSame) {
      await storeDomains(tx, cplc, after)
      await leaveDomains(
        tx,
        cplc,
        after.map(({ aid }) => aid),
      )
      await changeElement(tx, cplc, { state })
    }
    await keepDifference(tx, cplc, found, { at: readAt, sessionId })
    const reading: CardReading = {
      sessionId,
      readAt,
      cardCplc,
      state: { before: before.state, after: state },
      domains: { items: after, difference: { ...plan, refusals: [] } },
      applications: contents.applications
        .filter(({ isDomain }) => !isDomain)
        .map(({ aid, state: own, loadFileAid, domainAid = null }) => ({
          aid,
          state: own,
          loadFileAid,
          domainAid,
        })),
      loadFiles: contents.loadFiles.map(({ aid, version, modules, domainAid = null }) => ({
        aid,
        version,
        modules,
        domainAid,
      })),
      keyVersions,
      keys,
      domainKeys: [
        ...readNow,
        ...(believed?.reading?.domainKeys ?? []).filter(
          ({ domainAid }) => !said.has(domainAid) && after.some(({ aid }) => aid === domainAid),
        ),
      ],
      freeMemory: contents.freeMemory,
    }
    await storeContents(tx, cplc, contents)
    await keepReading(tx, cplc, { reading, readBy: actor.id })
    await record(tx, actor, action, cplc, {
      before: { state: before.state, domains: known },
      after: { state, domains: after, session: sessionId },
    })
    return reading
  })
}

/**
 * Records that someone has looked at how a card differed. Idempotent.
 * @throws ProblemError `not_found`, or `difference_changed` if this is not what they looked at.
 */
export function acknowledgeDifference(
  { db }: MapleContext,
  actor: AnyActor,
  { at, ...given }: BodyOf<Calls['POST /api/maple/se/card/difference']>,
): Promise<null> {
  const cplc = readCplc('cplc', given.cplc)
  return db.transaction().execute(async (tx) => {
    const before = await lockElement(tx, cplc, scopeOf(actor))
    if (!before) throw new ProblemError('not_found', `There is no element ${cplc}.`)
    if (before.difference === null) return null
    if (at !== undefined && Date.parse(at) !== Date.parse(before.difference.at))
      throw new ProblemError(
        'difference_changed',
        `The card was found to differ at ${before.difference.at}, not at ${at}. Look at it again.`,
      )
    await setDifference(tx, cplc, null)
    await record(tx, actor, 'element.review', cplc, { before: { difference: before.difference } })
    return null
  })
}
