import type { CardGreeting } from '@grove/secure-element/secure-channel/initialize-update'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import type { HostKeys } from '@grove/secure-element/secure-channel/key-source'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'
import type { Diversification } from '@grove/secure-element/keys/diversification'
import type { KeyAlgorithm } from '@grove/secure-element/keys/key-check-value'
import type { ProblemError } from '../../../../core/http/problem.ts'
import type { Sealed } from '../../../../core/vault/vault.ts'
import type { MapleContext } from '../../base/context.ts'

export type Custody = 'vault' | 'hsm'

/** The binding of stored keys: in another row they cannot be decrypted. */
export interface KeyBinding {
  id: string
  chipId: string
  version: number
  protocol: Protocol
  algorithm: KeyAlgorithm
}

/** The location of static keys, according to their row. */
export interface KeptKeys {
  custody: Custody
  sealed: Sealed | null
  hsmLabel: string | null
}

/** A key set as a provider works with it. */
export interface UsedKeys extends KeyBinding, KeptKeys {
  /** Of one key, in bytes. */
  keyLength: number
}

/** Stores static keys and works with them. */
export interface KeyProvider {
  custody: Custody
  keep: (binding: KeyBinding, keys: KeySet) => Promise<KeptKeys>
  sessionKeys: (
    set: UsedKeys,
    greeting: CardGreeting,
    hostChallenge: Uint8Array,
  ) => Promise<HostKeys>
  /** As if the keys were master keys. Only the vault can tell. */
  diversified?: (
    set: UsedKeys,
    method: Diversification,
    greeting: CardGreeting,
    hostChallenge: Uint8Array,
  ) => Promise<HostKeys>
  /** Destroys what is stored outside the row. */
  forget: (kept: KeptKeys) => Promise<void>
}

/** What functions that use keys work with. */
export interface KeyContext extends MapleContext {
  keys: KeyProviders
}

export interface KeyProviders {
  vault: VaultProvider
  /** null if no HSM is configured. */
  hsm: HsmProvider | null
}

/** Keys outside the database, which a transaction cannot roll back. */
export interface HsmProvider extends KeyProvider {
  /** Where the keys of a set are stored: recorded before they are generated. */
  labelFor: (id: string) => string
  /** null if the HSM responds, otherwise what is wrong. */
  check: () => Promise<ProblemError | null>
  close: () => void
}

/** The vault also stores master keys, from which it derives the keys of a card. */
export interface VaultProvider extends KeyProvider {
  /** Static keys in plain text, to send them to a card or to export them. The caller wipes them. */
  open: (set: UsedKeys) => Promise<KeySet>
  keepMaster: (binding: MasterBinding, keys: KeySet) => Promise<Sealed>
  openMaster: (sealed: Sealed, binding: MasterBinding) => Promise<KeySet>
  /** The same keys under the newest vault key; undefined if they already are. */
  rewrap: (sealed: Sealed, binding: KeyBinding) => Promise<Sealed | undefined>
  rewrapMaster: (sealed: Sealed, binding: MasterBinding) => Promise<Sealed | undefined>
  /** The keys of a software card, as one text. */
  keepCard: (id: string, keys: string) => Promise<Sealed>
  openCard: (sealed: Sealed, id: string) => Promise<string>
  rewrapCard: (sealed: Sealed, id: string) => Promise<Sealed | undefined>
  /** A secret of a program. */
  keepText: (id: string, text: string) => Promise<Sealed>
  openText: (sealed: Sealed, id: string) => Promise<string>
  rewrapText: (sealed: Sealed, id: string) => Promise<Sealed | undefined>
  versions: () => Promise<number[]>
}

export interface MasterBinding {
  id: string
  algorithm: KeyAlgorithm
}

export const bindingText = ({ id, chipId, version, protocol, algorithm }: KeyBinding) =>
  `grove key set ${id} ${chipId} ${version} ${protocol} ${algorithm}`
