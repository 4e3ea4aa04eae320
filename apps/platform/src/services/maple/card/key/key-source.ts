import { randomUUID } from 'node:crypto'
import { toHex } from '@grove/secure-element/bytes'
import { chipId } from '@grove/secure-element/cplc'
import { keyCheckValue, type KeyAlgorithm } from '@grove/secure-element/keys/key-check-value'
import { fitsGreeting } from '@grove/secure-element/secure-channel/card-cryptogram'
import type { CardGreeting } from '@grove/secure-element/secure-channel/initialize-update'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import type { HostKeys, KeySource } from '@grove/secure-element/secure-channel/key-source'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'
import { ProblemError } from '../../../../core/http/problem.ts'
import { everything } from '../../../../core/scope.ts'
import { serviceOfSubject } from '../../access/approval/approval.queries.ts'
import { findElement } from '../../fleet/element/element.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { Custody, KeyContext, KeyProviders } from './key-provider.ts'
import { diagnose } from './diagnose.ts'
import { forgetLabel, noteLabel } from './hsm-leftovers.ts'
import {
  forgetMismatch,
  insertKeySet,
  liveSets,
  storeMismatch,
  type AddedSet,
  type KeyOrigin,
  type StoredKeySet,
} from './key.queries.ts'
import { onceDiversified } from './vault-provider.ts'

/**
 * The keys of an element as the source of a secure channel. The card tells which version it uses;
 * static keys never leave their store. After an interrupted rotation the card has either the old or
 * the new keys, and its first response tells which. A domain without keys of its own is opened with
 * those of a domain above it, so the keys of other domains follow. Keys that do not match are
 * diagnosed immediately.
 * @throws ProblemError `not_found`, `element_blocked` or `key_missing`.
 */
export async function keySourceFor(
  { db, keys }: KeyContext,
  {
    cplc,
    domain = null,
    keyVersion = 0,
    onChosen,
  }: {
    cplc: string
    /** The AID of the selected application; null for the issuer's domain. */
    domain?: string | null
    keyVersion?: number
    onChosen?: (set: StoredKeySet) => void
  },
): Promise<KeySource> {
  const element = await findElement(db, cplc, everything)
  if (!element) throw new ProblemError('not_found', `There is no element ${cplc}.`)
  if (element.state === 'blocked')
    throw new ProblemError(
      'element_blocked',
      'The keys did not match the card, so they are not tried again. Find the cause first, then clear the block.',
    )
  const sets = nearestFirst(await liveSets(db, cplc), domain)
  if (sets.length === 0)
    throw new ProblemError(
      'key_missing',
      'The keys of this element are unknown. Import them first.',
    )
  assertVersion(sets, keyVersion)
  return async (greeting, hostChallenge) => {
    const { keyVersion: version, protocol } = greeting
    const fitting = sets.filter((set) => set.version === version && set.protocol === protocol)
    let last: HostKeys | undefined
    let failure: unknown
    for (const set of fitting) {
      let made: HostKeys
      try {
        made = await keysOfSession(keys, set, greeting, hostChallenge)
      } catch (error) {
        // The other keys may be those of the card, and stored where they are reachable.
        failure ??= error
        continue
      }
      last = made
      if (!fitsGreeting(made, greeting, hostChallenge)) continue
      onChosen?.(set)
      await forgetMismatch(db, cplc)
      return made
    }
    // Keys that cannot be reached are not wrong, so nothing blocks the element.
    if (failure !== undefined) throw failure
    if (!last) throw missing(sets, version, protocol)
    // Someone else has its keys. The channel stays closed, which no card counts as a failed attempt.
    if (!fitting.some((set) => set.domain === domain))
      throw missing(sets, version, protocol, domain)
    const serviceId = await serviceOfSubject(db, cplc)
    const finding = await diagnose({ db, keys }, { cplc, serviceId }, greeting, hostChallenge)
    await storeMismatch(db, cplc, { version, protocol, ...finding })
    // The channel refuses them before it sends anything, and the session blocks the element.
    return last
  }
}

/** The domain's own sets first, then the issuer's. */
export const nearestFirst = <Known extends Pick<StoredKeySet, 'domain'>>(
  sets: readonly Known[],
  domain: string | null,
): Known[] => {
  const distance = (set: Known) => (set.domain === domain ? 0 : set.domain === null ? 1 : 2)
  return sets.toSorted((one, other) => distance(one) - distance(other))
}

function assertVersion(sets: readonly StoredKeySet[], keyVersion: number): void {
  if (keyVersion !== 0 && !sets.some(({ version }) => version === keyVersion))
    throw missing(sets, keyVersion)
}

const hex = (version: number) => version.toString(16).toUpperCase().padStart(2, '0')

function missing(
  sets: readonly StoredKeySet[],
  version: number,
  protocol?: Protocol,
  domain?: string | null,
) {
  const known = sets
    .map((set) => `${hex(set.version)} (${set.protocol}${set.domain ? `, ${set.domain}` : ''})`)
    .join(', ')
  return new ProblemError(
    'key_missing',
    `Key version ${hex(version)}${protocol ? ` of ${protocol}` : ''}${domain === undefined ? '' : ` of ${domain ?? 'the domain of the issuer'}`} is not known; known are ${known}.`,
  )
}

/** The keys of one session, from where the set is kept. */
export async function keysOfSession(
  providers: KeyProviders,
  set: StoredKeySet,
  greeting: CardGreeting,
  hostChallenge: Uint8Array,
): Promise<HostKeys> {
  const { master } = set
  if (!master) return providerOf(providers, set.custody).sessionKeys(set, greeting, hostChallenge)
  const keys = await providers.vault.openMaster(master.sealed, master.binding)
  return onceDiversified(master.diversification, keys, greeting, hostChallenge)
}

export function providerOf({ vault, hsm }: KeyProviders, custody: Custody) {
  if (custody === 'vault') return vault
  if (!hsm) throw new ProblemError('hsm_unavailable', 'No HSM is configured. Set PKCS11_MODULE.')
  return hsm
}

export interface GivenKeys {
  cplc: string
  /** Default: the issuer's domain. */
  domain?: string | null
  version: number
  protocol: Protocol
  keys: KeySet
  origin: KeyOrigin
  custody?: Custody
  state?: 'active' | 'pending'
}

/**
 * Generates and stores a key set that has no row yet. Outside a transaction for an HSM, which may
 * take seconds, and whose keys a transaction cannot roll back: their label is recorded first.
 */
export async function makeKeySet(
  { db, keys: providers }: Pick<KeyContext, 'db' | 'keys'>,
  { cplc, domain = null, keys, custody = 'vault', state = 'active', ...given }: GivenKeys,
): Promise<AddedSet> {
  const algorithm = algorithmOf(given.protocol)
  const set = { ...given, id: randomUUID(), chipId: chipId(cplc), algorithm }
  const provider = providerOf(providers, custody)
  const label = custody === 'hsm' ? labelOf(providers, set.id) : undefined
  if (label !== undefined) await noteLabel(db, label)
  const kept = await provider.keep(set, keys).catch(async (error: unknown) => {
    if (label !== undefined) await forgetLabel({ db, keys: providers }, label)
    throw error
  })
  return {
    ...set,
    cplc,
    domain,
    state,
    keyLength: keys.enc.length,
    checkValues: checkValuesOf(algorithm, keys),
    kept,
    master: null,
  }
}

function labelOf({ hsm }: KeyProviders, id: string): string {
  if (!hsm) throw new Error('the provider of an HSM is there')
  return hsm.labelFor(id)
}

/** Stores the keys of an element in the vault, in the transaction of their change. */
export async function addKeySet(
  { keys }: Pick<KeyContext, 'keys'>,
  tx: MapleDb,
  given: Omit<GivenKeys, 'custody'>,
): Promise<string> {
  const made = await makeKeySet({ db: tx, keys }, given)
  await insertKeySet(tx, made)
  return made.id
}

export const algorithmOf = (protocol: Protocol): KeyAlgorithm =>
  protocol === 'SCP03' ? 'AES' : 'DES'

/** Of the keys for encryption, for MACs and for keys, in this order. */
export const checkValuesOf = (algorithm: KeyAlgorithm, { enc, mac, dek }: KeySet): string[] =>
  [enc, mac, dek].map((key) => toHex(keyCheckValue(algorithm, key)))
