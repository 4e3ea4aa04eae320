import type { DomainPlan, DomainRefusal, SecurityDomain } from '@grove/contract/maple/card/domain'
import { maxDomains, type DomainRefusalCode } from '@grove/contract/maple/card/domain.rules'
import { nextStates, statesOf, type LifeCycleState } from '@grove/secure-element/life-cycle'
import { privilegeConflicts, type PrivilegeName } from '@grove/secure-element/privileges'

/** Privileges that only one application of a card can have (GlobalPlatform 2.3.1, 6.6.2). */
const held: readonly PrivilegeName[] = ['cardReset', 'finalApplication']

export interface PlanInput {
  /** The element's current domains. */
  before: readonly SecurityDomain[]
  /** The requested domains. */
  list: readonly SecurityDomain[]
  isReplacing: boolean
  /** The state of the card, if known. */
  cardState: LifeCycleState | undefined
}

export interface Planned {
  plan: DomainPlan
  after: SecurityDomain[]
}

/** The changes of a list of security domains, and why it cannot be applied. */
export function planDomains({ before, list: given, isReplacing, cardState }: PlanInput): Planned {
  const list = given.map(stored)
  const listed = new Map(list.map((domain) => [domain.aid, domain]))
  const known = new Map(before.map((domain) => [domain.aid, domain]))
  const kept = isReplacing ? [] : before.filter(({ aid }) => !listed.has(aid))
  const after = [...kept, ...listed.values()].toSorted(byAid)
  const changed = after.flatMap((domain) => {
    const old = known.get(domain.aid)
    return old && !isSame(old, domain) ? [{ before: old, after: domain }] : []
  })
  const present = new Set(after.map(({ aid }) => aid))
  const removed = before.filter(({ aid }) => !present.has(aid))
  const refusals = [
    ...list
      .filter(({ aid }, index) => list.findIndex((other) => other.aid === aid) !== index)
      .map(({ aid }) => refuse(aid, 'duplicate', `The list has ${aid} twice.`)),
    ...treeRefusals(after, removed),
    ...after.flatMap((domain) => privilegeRefusals(domain)),
    ...heldRefusals(after),
    ...after.flatMap((domain) =>
      stateRefusals(
        domain,
        known.get(domain.aid)?.state ?? (domain.parent === null ? cardState : undefined),
      ),
    ),
  ]
  return {
    plan: { added: after.filter(({ aid }) => !known.has(aid)), changed, removed, refusals },
    after,
  }
}

const refuse = (
  aid: string,
  code: DomainRefusalCode,
  message: string,
  params: Record<string, string> = {},
): DomainRefusal => ({ aid, code, message, params })

/** A domain as it is stored: AIDs in upper case, each privilege once and in order. */
const stored = ({ aid, parent, state, privileges }: SecurityDomain): SecurityDomain => ({
  aid: aid.toUpperCase(),
  parent: parent?.toUpperCase() ?? null,
  state,
  privileges: [...new Set(privileges)].toSorted(),
})

const byAid = (one: SecurityDomain, other: SecurityDomain) => (one.aid < other.aid ? -1 : 1)

const isSame = (one: SecurityDomain, other: SecurityDomain) =>
  one.parent === other.parent &&
  one.state === other.state &&
  one.privileges.join() === other.privileges.join()

function treeRefusals(
  after: readonly SecurityDomain[],
  removed: readonly SecurityDomain[],
): DomainRefusal[] {
  const issuers = after.filter(({ parent }) => parent === null)
  const gone = removed.find(({ parent }) => parent === null)
  const first = issuers[0]
  const parents = new Map(after.map(({ aid, parent }) => [aid, parent]))
  return [
    ...(gone
      ? [
          refuse(
            gone.aid,
            'issuerRemoved',
            `The issuer security domain ${gone.aid} cannot be deleted.`,
          ),
        ]
      : !first && after[0]
        ? [
            refuse(
              after[0].aid,
              'issuerMissing',
              'There is no issuer security domain: one domain has no parent.',
            ),
          ]
        : []),
    ...issuers
      .slice(1)
      .map(({ aid }) =>
        refuse(
          aid,
          'secondIssuer',
          `A card has one issuer security domain, which is ${first?.aid}; give ${aid} a parent.`,
          { issuer: first?.aid ?? '' },
        ),
      ),
    ...after.flatMap(({ aid, parent }) =>
      parent === null || parents.has(parent)
        ? []
        : [
            refuse(aid, 'unknownParent', `The parent of ${aid}, ${parent}, is not in the list.`, {
              parent,
            }),
          ],
    ),
    ...after
      .filter(({ aid }) => isInCycle(aid, parents))
      .map(({ aid }) => refuse(aid, 'cycle', `${aid} is its own ancestor.`)),
    ...(after.length > maxDomains
      ? [refuse('', 'tooMany', `An element can have at most ${maxDomains} security domains.`)]
      : []),
  ]
}

function isInCycle(aid: string, parents: ReadonlyMap<string, string | null>): boolean {
  const seen = new Set<string>()
  for (let at = parents.get(aid); at && !seen.has(at); at = parents.get(at)) {
    if (at === aid) return true
    seen.add(at)
  }
  return false
}

function privilegeRefusals({ aid, privileges }: SecurityDomain): DomainRefusal[] {
  const isDomain = privileges.includes('securityDomain')
  return [
    ...(isDomain
      ? []
      : [
          refuse(aid, 'needsPrivilege', `${aid} is a security domain: it needs that privilege.`, {
            privilege: 'securityDomain',
            other: 'securityDomain',
          }),
        ]),
    ...privilegeConflicts(privileges)
      .filter(({ kind, other }) => isDomain || kind !== 'needs' || other !== 'securityDomain')
      .map(({ kind, privilege, other }) =>
        kind === 'needs'
          ? refuse(aid, 'needsPrivilege', `${privilege} of ${aid} needs ${other}.`, {
              privilege,
              other,
            })
          : refuse(aid, 'excludesPrivilege', `${aid} cannot have both ${privilege} and ${other}.`, {
              privilege,
              other,
            }),
      ),
  ]
}

const heldRefusals = (after: readonly SecurityDomain[]): DomainRefusal[] =>
  held.flatMap((privilege) => {
    const [owner, ...others] = after.filter(({ privileges }) => privileges.includes(privilege))
    return others.map(({ aid }) =>
      refuse(
        aid,
        'privilegeTaken',
        `Only one domain can have ${privilege}; ${owner?.aid} has it.`,
        {
          privilege,
          owner: owner?.aid ?? '',
        },
      ),
    )
  })

function stateRefusals(
  { aid, parent, state }: SecurityDomain,
  from: LifeCycleState | undefined,
): DomainRefusal[] {
  const owner = parent === null ? 'card' : 'securityDomain'
  const allowed = statesOf(owner)
  if (!allowed.includes(state))
    return [
      refuse(
        aid,
        'wrongState',
        owner === 'card'
          ? `${aid} is the issuer security domain, whose state is that of the card: ${allowed.join(', ')}.`
          : `A security domain is ${allowed.join(', ')}; not ${state}.`,
        { state },
      ),
    ]
  if (from === undefined || !allowed.includes(from) || isReachable(owner, from, state)) return []
  return [
    refuse(aid, 'stateGoesBack', `${aid} is ${from} and cannot become ${state}.`, {
      from,
      to: state,
    }),
  ]
}

/**
 * Whether the life cycle leads from one state to another, directly or through others. Unlocking
 * returns to the state before the lock, so no other state is reached through a lock.
 */
function isReachable(owner: 'card' | 'securityDomain', from: LifeCycleState, to: LifeCycleState) {
  const reached = new Set<LifeCycleState>([from])
  for (const state of reached)
    if (state === from || state !== 'locked')
      for (const next of nextStates(owner, state)) reached.add(next)
  return reached.has(to)
}
