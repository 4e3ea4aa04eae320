import type { CardReading } from '@grove/contract/maple/card/element-card'
import type { DomainPlan, SecurityDomain } from '@grove/contract/maple/card/domain'
import type { ElementDifference } from '@grove/contract/maple/fleet/element'
import type { MapleDb } from '../../base/tables.ts'
import type { CardContents } from '../applet/card-contents.ts'
import { setDifference } from '../../fleet/element/element.queries.ts'
import type { CardFacts } from './card-facts.ts'
import { believedOf, recordedKeys, type Believed } from './difference.queries.ts'
import {
  differenceOfContents,
  differenceOfDomains,
  differenceOfKeys,
  isNoDifference,
  noDifference,
  type DifferenceParts,
} from './difference.rules.ts'

interface Compared {
  state: ElementDifference['state']
  /** The domains in the records; none if they were never read or entered. */
  known: readonly SecurityDomain[]
  plan: DomainPlan
  facts: Pick<CardFacts, 'contents' | 'keys'>
  domainKeys: CardReading['domainKeys']
  /** Grove itself changed the card, or someone did in the session; keys have separate records. */
  isExpected: boolean
}

/** How a card differs from Grove's records, before these are replaced. */
export async function findDifference(
  tx: MapleDb,
  cplc: string,
  believed: Believed | undefined,
  { state, known, plan, facts, domainKeys, isExpected }: Compared,
): Promise<DifferenceParts> {
  const found = noDifference()
  const recorded = await recordedKeys(tx, cplc)
  const { reading = null, contents = null, hasSent } = believed ?? {}
  if (!isExpected && known.length > 0 && !hasSent?.toCard) {
    const since = reading ? Date.parse(reading.readAt) : -Infinity
    found.state = state
    found.domains = differenceOfDomains(plan, ({ aid, parent }) =>
      recorded.some(
        ({ domain, changedAt }) =>
          domain === (parent === null ? null : aid) && Date.parse(changedAt) > since,
      ),
    )
  }
  if (!isExpected && contents && !hasSent?.toContents)
    Object.assign(found, differenceOfContents(contents, facts.contents))
  const of = (domain: string | null) => recorded.filter((key) => key.domain === domain)
  if (facts.keys)
    found.keys.push(
      ...differenceOfKeys({
        domain: null,
        before: reading?.keys ? { keys: reading.keys, readAt: reading.readAt } : undefined,
        now: facts.keys,
        recorded: of(null),
      }),
    )
  for (const { domainAid, keys } of domainKeys)
    found.keys.push(
      ...differenceOfKeys({
        domain: domainAid,
        before: reading?.domainKeys.find((each) => each.domainAid === domainAid),
        now: keys,
        recorded: of(domainAid),
      }),
    )
  return found
}

/** Stores how a card differs, until someone has looked at it. */
export async function keepDifference(
  tx: MapleDb,
  cplc: string,
  found: DifferenceParts,
  at: Pick<ElementDifference, 'at' | 'sessionId'>,
): Promise<void> {
  if (!isNoDifference(found)) await setDifference(tx, cplc, { ...at, ...found })
}

/**
 * An installation reads the card's applications and load files before it changes them; without this
 * comparison, what it stores afterwards would hide changes by others.
 * @param see What the card lists, with gaps filled from the records.
 */
export async function compareContents(
  db: MapleDb,
  { cplc, ...at }: Pick<ElementDifference, 'at' | 'sessionId'> & { cplc: string },
  see: (believed: CardContents) => CardContents,
): Promise<void> {
  const believed = await believedOf(db, cplc, at.sessionId)
  if (!believed?.contents || believed.hasSent.toContents) return
  const found = differenceOfContents(believed.contents, see(believed.contents))
  await keepDifference(db, cplc, { ...noDifference(), ...found }, at)
}
