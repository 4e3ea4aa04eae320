import { readHex } from '../bytes.ts'
import { purposeVersions } from '../host/delegation.ts'
import type { PrivilegeName } from '../privileges.ts'
import type { CardState, DomainData, StoredApplication, StoredKeySet } from './card-state.ts'
import { refuse } from './refusal.ts'

/** The issuer domain's privileges without keys for tokens or receipts. */
const issuerPrivileges: PrivilegeName[] = [
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

/** The issuer domain's privileges, including those that token and receipt keys add. */
export const issuerPrivilegesOf = ({ keySets }: CardState): PrivilegeName[] => {
  const has = (version: number) => keySets.some((set) => set.version === version)
  return [
    ...issuerPrivileges,
    ...(has(purposeVersions.token) ? (['tokenVerification'] as const) : []),
    ...(has(purposeVersions.receipt) ? (['receiptGeneration'] as const) : []),
  ]
}

/** The privileges that INSTALL may grant. */
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
  'dapVerification',
  'delegatedManagement',
  'mandatedDapVerification',
  'trustedPath',
  'authorizedManagement',
  'tokenVerification',
  'receiptGeneration',
  ...applicationPrivileges,
]

export const applicationOf = (state: CardState, aid: string): StoredApplication | undefined =>
  state.applications.find((each) => each.aid === aid)

/** The state of a domain, or undefined for anything else. */
export const domainData = (state: CardState, aid: string): DomainData | undefined =>
  aid === state.issuerAid ? state : applicationOf(state, aid)?.domain

export const isDomain = (state: CardState, aid: string): boolean =>
  domainData(state, aid) !== undefined

export function hasPrivilege(state: CardState, aid: string, name: PrivilegeName): boolean {
  const granted =
    aid === state.issuerAid
      ? issuerPrivilegesOf(state)
      : (applicationOf(state, aid)?.privileges ?? [])
  return granted.includes(name)
}

/** The parent domain of an application or a domain; the issuer domain has none. */
const above = (state: CardState, aid: string): string | undefined => {
  const domain = applicationOf(state, aid)?.domainAid
  return domain === aid ? undefined : domain
}

/** Whether something belongs to a domain, directly or through others. */
export function isBelow(state: CardState, aid: string, domainAid: string): boolean {
  let at = above(state, aid)
  for (let steps = state.applications.length; at !== undefined && steps >= 0; steps--) {
    if (at === domainAid) return true
    at = above(state, at)
  }
  return false
}

/** The domain whose keys open a channel: the nearest one upwards that has keys. */
export function keyDomainOf(state: CardState, aid: string): string {
  let at = aid
  for (let steps = state.applications.length; steps >= 0; steps--) {
    if (domainData(state, at)?.keySets.some(opensChannel(state))) return at
    at = above(state, at) ?? refuse('missingReference')
  }
  return refuse('missingReference')
}

/** Changes a key set of a domain within a write. */
export function changeKeySet(
  next: CardState,
  domainAid: string,
  version: number,
  change: (set: StoredKeySet) => void,
): void {
  const set = domainData(next, domainAid)?.keySets.find((each) => each.version === version)
  if (set) change(set)
}

/** Deletes the certificates, lists and authorities of keys that no longer exist. */
export function dropCertificates(
  domain: DomainData,
  isGone: (keyId: number, keyVersion: number) => boolean,
): void {
  const { certificates = {}, allowed = {}, authorities = {} } = domain
  for (const all of [certificates, allowed, authorities])
    for (const reference of Object.keys(all)) {
      const [keyId = 0, keyVersion = 0] = readHex(reference)
      if (isGone(keyId, keyVersion)) delete all[reference]
    }
}

/** The keys of the card's channels: triple DES for SCP02, AES for SCP03. */
export const channelAlgorithm = ({ protocol }: Pick<CardState, 'protocol'>): 'AES' | 'DES' =>
  protocol === 'SCP03' ? 'AES' : 'DES'

/** Whether a set can open a channel of the card: it has ENC, MAC and DEK for its protocol. */
export const opensChannel =
  (state: Pick<CardState, 'protocol'>) =>
  ({ keys }: StoredKeySet): boolean =>
    [1, 2, 3].every((id) =>
      keys.some((key) => key.id === id && key.algorithm === channelAlgorithm(state)),
    )

/**
 * Whether a domain may change an object: one of its own or below it. The issuer domain may change
 * all.
 */
export const manages = (state: CardState, domainAid: string, aid: string): boolean =>
  domainAid === state.issuerAid || isBelow(state, aid, domainAid)
