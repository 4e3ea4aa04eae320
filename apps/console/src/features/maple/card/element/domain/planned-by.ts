import type { DomainPlan, SecurityDomain } from '@grove/contract/maple/card/domain'
import { missingFrom } from './domain-draft.ts'

/** The plan for an element's domains, computed here if the service does not make one. */
export function plannedBy(
  list: readonly SecurityDomain[],
  domains: readonly SecurityDomain[],
  isReplacing: boolean,
) {
  const before = new Map(domains.map((domain) => [domain.aid.toUpperCase(), domain]))
  const plan: DomainPlan = { added: [], changed: [], removed: [], refusals: [] }
  for (const after of list) {
    const own = before.get(after.aid.toUpperCase())
    if (!own) plan.added.push(after)
    else if (!isSame(own, after)) plan.changed.push({ before: own, after })
  }
  if (isReplacing) plan.removed.push(...missingFrom(list, domains))
  return { plan, isApplied: false, items: [...domains], revision: 0 }
}

const isSame = (one: SecurityDomain, other: SecurityDomain) =>
  one.parent === other.parent &&
  one.state === other.state &&
  one.privileges.toSorted().join() === other.privileges.toSorted().join()
