import type { CardStep } from '@grove/contract/maple/card/card-operation'
import type { DomainPlan, DomainRefusal, SecurityDomain } from '@grove/contract/maple/card/domain'
import { encodeCommand } from '@grove/secure-element/apdu'
import { toHex } from '@grove/secure-element/bytes'
import { statesOf } from '@grove/secure-element/life-cycle'
import { planDomains } from '../domain/domain.rules.ts'
import type { CardContents } from '../applet/card-contents.ts'
import { commandOf, type StepIntent } from './card-command.ts'

export interface CardPlanInput {
  /** The card's reported contents. */
  domains: readonly SecurityDomain[]
  contents: Pick<CardContents, 'applications' | 'loadFiles'>
  /** The target contents. */
  list: readonly SecurityDomain[]
  isReplacing: boolean
}

/**
 * The commands that bring a card from its current contents to those of a list, in order. Deletions
 * and locks come last.
 */
export function planCard(input: CardPlanInput): { plan: DomainPlan; steps: CardStep[] } {
  const { domains: before, contents, list, isReplacing } = input
  const { plan, after } = planDomains({ before, list, isReplacing, cardState: undefined })
  const refusals = [...plan.refusals, ...cardRefusals(plan, before, after)]
  if (refusals.length > 0) return { plan: { ...plan, refusals }, steps: [] }
  const intents = stepsOf(plan, before, after, contents)
  return {
    plan,
    steps: intents.map((intent) => ({
      ...intent,
      command: toHex(encodeCommand(commandOf(intent))),
    })),
  }
}

/** What no command can change on a card. */
function cardRefusals(
  { added, changed, removed }: DomainPlan,
  before: readonly SecurityDomain[],
  after: readonly SecurityDomain[],
): DomainRefusal[] {
  const byAid = (list: readonly SecurityDomain[], aid: string | null) =>
    list.find((domain) => domain.aid === aid)
  const refuse = (aid: string, code: DomainRefusal['code'], message: string, params = {}) => ({
    aid,
    code,
    message,
    params,
  })
  const issuers = changed.filter((each) => each.after.parent === null)
  const moved = [
    ...added,
    ...changed.filter((each) => each.before.parent !== each.after.parent).map((each) => each.after),
  ]
  const staysLocked = (aid: string | null) =>
    byAid(before, aid)?.state === 'locked' && byAid(after, aid)?.state === 'locked'
  const issuer = before.find(({ parent }) => parent === null)
  const isLocked = issuer?.state === 'cardLocked'
  const unlocks = byAid(after, issuer?.aid ?? null)?.state !== 'cardLocked'
  return [
    ...issuers
      .filter((each) => each.before.privileges.join() !== each.after.privileges.join())
      .map(({ after: { aid } }) =>
        refuse(
          aid,
          'issuerPrivileges',
          `The privileges of the issuer security domain ${aid} cannot be changed.`,
        ),
      ),
    ...issuers
      .filter(({ after: { state } }) => state === 'terminated')
      .map(({ after: { aid } }) =>
        refuse(
          aid,
          'terminates',
          'Terminating a card has its own call, which needs a second person.',
        ),
      ),
    ...moved
      .filter(({ parent }) => staysLocked(parent))
      .map(({ aid, parent }) =>
        refuse(aid, 'parentLocked', `${aid} cannot move into ${parent}, which is locked.`, {
          parent: parent ?? '',
        }),
      ),
    ...(isLocked && !unlocks && added.length + changed.length + removed.length > 0
      ? [
          refuse(
            issuer.aid,
            'cardIsLocked',
            'The card is CARD_LOCKED: it must become SECURED before anything else changes.',
          ),
        ]
      : []),
  ]
}

const intent = (
  kind: StepIntent['kind'],
  aid: string,
  more: Partial<Omit<StepIntent, 'kind' | 'aid'>> = {},
): StepIntent => ({ kind, aid, to: null, privileges: null, deletes: [], ...more })

function stepsOf(
  { changed, removed }: DomainPlan,
  before: readonly SecurityDomain[],
  after: readonly SecurityDomain[],
  contents: CardPlanInput['contents'],
): StepIntent[] {
  const issuer = after.find(({ parent }) => parent === null)
  const issuerAid = issuer?.aid ?? ''
  const known = new Map(before.map((domain) => [domain.aid, domain]))
  const supplementary = changed.filter((each) => each.after.parent !== null)
  const privileged = supplementary.filter(
    (each) => each.before.privileges.join() !== each.after.privileges.join(),
  )
  const loses = ({ before: was, after: is }: (typeof changed)[number]) =>
    was.privileges.some((name) => !is.privileges.includes(name))
  const cardSteps = cardStates(known.get(issuerAid)?.state, issuer?.state).map((to) =>
    intent('cardState', issuerAid, { to }),
  )
  const unlocksCard = known.get(issuerAid)?.state === 'cardLocked'
  const [cardFirst, cardLater] = unlocksCard ? [cardSteps, []] : [[], cardSteps]
  const update = ({ after: { aid, privileges } }: (typeof changed)[number]) =>
    intent('privileges', aid, { privileges })

  // From the root down: what something moves into is at its place by then, so nothing moves into itself.
  const placed = byDepth(after).flatMap((domain): StepIntent[] => {
    const { aid, parent, state, privileges } = domain
    const was = known.get(aid)
    const to = state === 'installed' ? 'installed' : 'selectable'
    const home = was ? was.parent : issuerAid
    return [
      ...(was ? [] : [intent('install', aid, { to, privileges })]),
      ...(parent !== null && parent !== home ? [intent('extradite', aid, { to: parent })] : []),
    ]
  })
  const states = after
    .filter(({ parent }) => parent !== null)
    .map(({ aid, state, privileges }) => {
      const from = known.get(aid)?.state ?? (state === 'installed' ? 'installed' : 'selectable')
      return { aid, privileges, from, state }
    })
  return [
    ...cardFirst,
    ...states
      .filter(({ from, state }) => from === 'locked' && state !== 'locked')
      .map(({ aid, state }) => intent('unlock', aid, { to: state })),
    // A privilege that only one domain can have is revoked before another one gets it.
    ...privileged.filter(loses).map(update),
    ...placed,
    ...privileged.filter((each) => !loses(each)).map(update),
    ...states.flatMap(({ aid, privileges, from, state }) => {
      if (from === 'locked' || state === 'locked') return []
      const isInstalled = from === 'installed' && state !== 'installed'
      return [
        ...(isInstalled ? [intent('makeSelectable', aid, { privileges })] : []),
        ...(state === 'personalized' && from !== state ? [intent('personalize', aid)] : []),
      ]
    }),
    ...byDepth(before)
      .toReversed()
      .filter(({ aid }) => removed.some((domain) => domain.aid === aid))
      .map(({ aid }) => intent('delete', aid, { deletes: contentsOf(contents, aid) })),
    ...cardLater.filter(({ to }) => to !== 'cardLocked'),
    ...states
      .filter(({ from, state }) => from !== 'locked' && state === 'locked')
      .map(({ aid }) => intent('lock', aid)),
    ...cardLater.filter(({ to }) => to === 'cardLocked'),
  ]
}

/** Domains from the root down, as their parents are in this list. */
function byDepth(domains: readonly SecurityDomain[]): SecurityDomain[] {
  const parents = new Map(domains.map(({ aid, parent }) => [aid, parent]))
  const depth = (aid: string) => {
    let steps = 0
    for (let at = parents.get(aid); at && steps <= domains.length; at = parents.get(at)) steps++
    return steps
  }
  return domains.toSorted((one, other) => depth(one.aid) - depth(other.aid))
}

/** The states that the card passes on its way, the last one included. */
function cardStates(
  from: SecurityDomain['state'] | undefined,
  to: SecurityDomain['state'] | undefined,
) {
  if (from === undefined || to === undefined || from === to) return []
  if (from === 'cardLocked') return [to]
  const order = statesOf('card')
  return order.slice(order.indexOf(from) + 1, order.indexOf(to) + 1)
}

/** What belongs to a domain itself and is deleted with it; child domains are deleted before. */
const contentsOf = (
  { applications, loadFiles }: CardPlanInput['contents'],
  domain: string,
): string[] => [
  ...applications
    .filter(({ isDomain, domainAid }) => !isDomain && domainAid === domain)
    .map(({ aid }) => aid),
  ...loadFiles.filter(({ domainAid }) => domainAid === domain).map(({ aid }) => aid),
]

/** Whether the card's report matches the result of a step. */
export function isStepDone(
  { kind, aid, to, privileges }: StepIntent,
  domains: readonly SecurityDomain[],
): boolean {
  const domain = domains.find((each) => each.aid === aid)
  switch (kind) {
    case 'delete':
      return domain === undefined
    case 'install':
      return domain !== undefined
    case 'extradite':
      return domain?.parent === to
    case 'privileges':
      return domain?.privileges.join() === privileges?.join()
    case 'unlock':
      return domain !== undefined && domain.state !== 'locked'
    case 'lock':
      return domain?.state === 'locked'
    case 'makeSelectable':
      return domain !== undefined && domain.state !== 'installed'
    case 'personalize':
      return domain?.state === 'personalized'
    case 'cardState':
      return domain?.state === to
  }
}
