import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import { statesOf } from '@grove/secure-element/life-cycle'
import type { AnyActor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { record } from '../../fleet/context.ts'
import type { MapleContext } from '../../base/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { changeElement, findElement, lockElement } from '../../fleet/element/element.queries.ts'
import { domainsOf, storeDomains } from './domain.queries.ts'
import { planDomains, type Planned } from './domain.rules.ts'

/** @throws ProblemError `not_found`. */
export async function listDomains(
  { db }: MapleContext,
  actor: AnyActor,
  query: QueryOf<Calls['GET /api/maple/se/domains']>,
): Promise<ResponseOf<Calls['GET /api/maple/se/domains']>> {
  const cplc = readCplc('cplc', query.cplc)
  const element = atRevision(await findElement(db, cplc, scopeOf(actor)), undefined, 'element')
  return { items: await domainsOf(db, cplc), revision: element.revision }
}

type Given = BodyOf<Calls['POST /api/maple/se/domains']> &
  QueryOf<Calls['POST /api/maple/se/domains']> & { revision: number | undefined }

/**
 * Plans the change of an element's security domains and, unless it is a dry run, applies it. The plan
 * starts from the current domains, and only from the revision that the caller knows.
 * @throws ProblemError `not_found`, `edit_conflict` or `domains_refused`.
 */
export function changeDomains(
  { db }: MapleContext,
  actor: AnyActor,
  { revision, domains: list, replace: isReplacing = false, dryRun = false, ...given }: Given,
): Promise<ResponseOf<Calls['POST /api/maple/se/domains']>> {
  const cplc = readCplc('cplc', given.cplc)
  return db.transaction().execute(async (tx) => {
    const element = atRevision(await lockElement(tx, cplc, scopeOf(actor)), revision, 'element')
    const before = await domainsOf(tx, cplc)
    const cardState = statesOf('card').find((state) => state === element.state)
    const { plan, after } = planDomains({ before, list, isReplacing, cardState })
    if (dryRun) return { plan, isApplied: false, items: before, revision: element.revision }
    assertPlan(plan, list)
    const isSame = plan.added.length + plan.changed.length + plan.removed.length === 0
    if (isSame) return { plan, isApplied: true, items: before, revision: element.revision }
    await storeDomains(tx, cplc, after)
    const state = element.state === 'blocked' ? 'blocked' : cardStateOf(after)
    await changeElement(tx, cplc, state === undefined ? {} : { state })
    const changed = { before: { id: cplc, domains: before }, after: { id: cplc, domains: after } }
    await record(tx, actor, 'element.domains', cplc, {
      before: { ...changed.before, state: element.state, revision: element.revision },
      after: { ...changed.after, state: state ?? element.state, revision: element.revision + 1 },
    })
    return { plan, isApplied: true, items: after, revision: element.revision + 1 }
  })
}

/** The state of the card is that of its issuer security domain. */
const cardStateOf = (domains: readonly SecurityDomain[]): ElementState | undefined =>
  domains.find(({ parent }) => parent === null)?.state as ElementState | undefined

/** Refuses a plan as a whole, with a reason for each domain. */
export function assertPlan({ refusals }: Planned['plan'], list: readonly SecurityDomain[]): void {
  const [first] = refusals
  if (!first) return
  const more = refusals.length - 1
  throw new ProblemError(
    'domains_refused',
    more === 0 ? first.message : `${first.message} There are ${more} more reasons.`,
    {
      errors: refusals.map(({ aid, code, message, params }) => {
        const index = list.findIndex((domain) => domain.aid.toUpperCase() === aid)
        return { path: index < 0 ? 'domains' : `domains.${index}`, code, message, params }
      }),
    },
  )
}
