import type { SecurityDomain } from '@grove/contract/maple/card/domain'

/** A security domain being edited: identified by a key, since its AID may change or be empty. */
export interface DomainDraft extends Omit<SecurityDomain, 'parent'> {
  key: number
  /** Null if it has no parent, or the parent is not in the list. */
  parentKey: number | null
  /** The AID of a parent that is not in the list. */
  missingParent: string | null
}

export interface PlacedDomain {
  domain: DomainDraft
  depth: number
}

export function draftsOf(domains: readonly SecurityDomain[]): DomainDraft[] {
  return domains.map(({ parent, ...domain }, key) => {
    const found = domains.findIndex(({ aid }) => aid === parent)
    return {
      ...domain,
      key,
      parentKey: found < 0 ? null : found,
      missingParent: found < 0 ? parent : null,
    }
  })
}

export const domainsOf = (drafts: readonly DomainDraft[]): SecurityDomain[] =>
  drafts.map(({ key: _key, parentKey, missingParent, aid, state, privileges }) => ({
    aid,
    parent: drafts.find(({ key }) => key === parentKey)?.aid ?? missingParent,
    state,
    privileges,
  }))

/** Parents before children. Domains that are their own ancestors come last. */
export function placed(drafts: readonly DomainDraft[]): PlacedDomain[] {
  const branch = (parentKey: number | null, depth: number): PlacedDomain[] =>
    drafts
      .filter((domain) => domain.parentKey === parentKey)
      .flatMap((domain) => [{ domain, depth }, ...branch(domain.key, depth + 1)])
  const tree = branch(null, 0)
  const lost = drafts.filter((each) => !tree.some(({ domain }) => domain === each))
  return [...tree, ...lost.map((domain) => ({ domain, depth: 0 }))]
}

/** All descendants of a domain. */
export function below(drafts: readonly DomainDraft[], key: number): DomainDraft[] {
  const found: DomainDraft[] = []
  const visit = (parent: number) => {
    for (const domain of drafts)
      if (domain.parentKey === parent && domain.key !== key && !found.includes(domain)) {
        found.push(domain)
        visit(domain.key)
      }
  }
  visit(key)
  return found
}

export function without(drafts: readonly DomainDraft[], key: number): DomainDraft[] {
  const gone = new Set([key, ...below(drafts, key).map((domain) => domain.key)])
  return drafts.filter((domain) => !gone.has(domain.key))
}

/** A new domain, the last child of its parent; without a parent, the issuer's. */
export function withNew(
  drafts: readonly DomainDraft[],
  parentKey: number | null,
): { drafts: DomainDraft[]; key: number } {
  const key = Math.max(-1, ...drafts.map((domain) => domain.key)) + 1
  const isIssuer = parentKey === null
  const domain: DomainDraft = {
    key,
    parentKey,
    missingParent: null,
    aid: isIssuer ? 'A000000151000000' : '',
    state: isIssuer ? 'opReady' : 'selectable',
    privileges: ['securityDomain'],
  }
  return { drafts: [...drafts, domain], key }
}

export const changed = (
  drafts: readonly DomainDraft[],
  key: number,
  change: Partial<DomainDraft>,
): DomainDraft[] => drafts.map((domain) => (domain.key === key ? { ...domain, ...change } : domain))

/** The element's domains that are missing from a list. */
export const missingFrom = (
  domains: readonly SecurityDomain[],
  known: readonly SecurityDomain[],
): SecurityDomain[] => {
  const listed = new Set(domains.map(({ aid }) => aid.toUpperCase()))
  return known.filter(({ aid }) => !listed.has(aid.toUpperCase()))
}
