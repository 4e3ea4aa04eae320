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

/** What keys are bound to where they are kept: in another row they open nothing. */
export interface KeyBinding {
  id: string
  chipId: string
  version: number
  protocol: Protocol
  algorithm: KeyAlgorithm
}

/** Where static keys are, as their row says. */
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

/** Keeps static keys and works with them. It never gives one away. */
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
  /** Destroys what is kept outside of the row. */
  forget: (kept: KeptKeys) => Promise<void>
}

/** What functions that use keys work with. */
export interface KeyContext extends MapleContext {
  keys: KeyProviders
}

export interface KeyProviders {
  vault: VaultProvider
  /** null where no HSM is set. */
  hsm: HsmProvider | null
}

/** Keys outside of the database, which a transaction does not take back. */
export interface HsmProvider extends KeyProvider {
  /** Where the keys of a set are put: written down before they are made. */
  labelFor: (id: string) => string
  /** null where the HSM answers, or what is wrong with it. */
  check: () => Promise<ProblemError | null>
  close: () => void
}

/** The vault also keeps master keys, which it makes the keys of one card from. */
export interface VaultProvider extends KeyProvider {
  keepMaster: (binding: MasterBinding, keys: KeySet) => Promise<Sealed>
  openMaster: (sealed: Sealed, binding: MasterBinding) => Promise<KeySet>
  /** The same keys under the newest vault key; undefined where they are already. */
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
