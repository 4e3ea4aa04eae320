import type { PrivilegeName } from '../privileges.ts'
import type { CardState, DomainData, StoredApplication, StoredKeySet } from './card-state.ts'
import { refuse } from './refusal.ts'

/** What the domain of the issuer may do: all that this card supports. */
export const issuerPrivileges: PrivilegeName[] = [
  'securityDomain',
  'cardLock',
  'cardTerminate',
  'cardReset',
  'trustedPath',
  'authorizedManagement',
  'globalDelete',
  'globalLock',
  'globalRegistry',
  'finalApplication',
]

/** What INSTALL may grant. Delegated management, tokens, receipts and signatures are off. */
export const applicationPrivileges: PrivilegeName[] = [
  'cardLock',
  'cardTerminate',
  'cardReset',
  'globalDelete',
  'globalLock',
  'globalRegistry',
  'globalService',
  'contactlessActivation',
  'contactlessSelfActivation',
]
export const domainPrivileges: PrivilegeName[] = [
  'securityDomain',
  'trustedPath',
  'authorizedManagement',
  ...applicationPrivileges,
]

export const applicationOf = (state: CardState, aid: string): StoredApplication | undefined =>
  state.applications.find((each) => each.aid === aid)

/** What a domain keeps, or undefined for what is no domain. */
export const domainData = (state: CardState, aid: string): DomainData | undefined =>
  aid === state.issuerAid ? state : applicationOf(state, aid)?.domain

export const isDomain = (state: CardState, aid: string): boolean =>
  domainData(state, aid) !== undefined

export function hasPrivilege(state: CardState, aid: string, name: PrivilegeName): boolean {
  const granted =
    aid === state.issuerAid ? issuerPrivileges : (applicationOf(state, aid)?.privileges ?? [])
  return granted.includes(name)
}

/** The domain above an application or a domain; that of the issuer has none. */
const above = (state: CardState, aid: string): string | undefined => {
  const domain = applicationOf(state, aid)?.domainAid
  return domain === aid ? undefined : domain
}

/** Whether something belongs to a domain, directly or through domains between. */
export function isBelow(state: CardState, aid: string, domainAid: string): boolean {
  let at = above(state, aid)
  for (let steps = state.applications.length; at !== undefined && steps >= 0; steps--) {
    if (at === domainAid) return true
    at = above(state, at)
  }
  return false
}

/** The domain whose keys open a channel: without own keys those of the nearest one above. */
export function keyDomainOf(state: CardState, aid: string): string {
  let at = aid
  for (let steps = state.applications.length; steps >= 0; steps--) {
    if (domainData(state, at)?.keySets.some(isComplete)) return at
    at = above(state, at) ?? refuse('missingReference')
  }
  return refuse('missingReference')
}

/** Changes a key set of a domain inside a write. */
export function changeKeySet(
  next: CardState,
  domainAid: string,
  version: number,
  change: (set: StoredKeySet) => void,
): void {
  const set = domainData(next, domainAid)?.keySets.find((each) => each.version === version)
  if (set) change(set)
}

/** Whether a set can open a channel: encryption, MAC and the key for keys. */
export const isComplete = ({ keys }: StoredKeySet): boolean =>
  [1, 2, 3].every((id) => keys.some((key) => key.id === id))

/** Whether a domain may change what belongs to it or to a domain below. That of the issuer may change all. */
export const manages = (state: CardState, domainAid: string, aid: string): boolean =>
  domainAid === state.issuerAid || isBelow(state, aid, domainAid)
