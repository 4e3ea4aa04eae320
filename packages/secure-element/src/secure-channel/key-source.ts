import type { KeyBlock } from '../host/put-key.ts'
import { encryptKey, type NewKey } from '../keys/encrypt-key.ts'
import type { CardGreeting } from './initialize-update.ts'
import type { ChannelKeys, KeySet, SessionKeys } from './key-set.ts'
import { scp02Options } from './scp02-options.ts'
import { scp02SessionKeys } from './scp02-keys.ts'
import { scp03SessionKeys } from './scp03-keys.ts'

/** The host's side of a secure channel. The key encryption key stays inside. */
export interface HostKeys extends ChannelKeys {
  /** Encrypts new keys for PUT KEY. */
  encryptKeys: (keys: readonly NewKey[]) => KeyBlock[] | Promise<KeyBlock[]>
}

/**
 * Derives the session keys once the card has said which keys it uses. A vault or an HSM that never
 * exposes static keys is one such function, diversification is another.
 */
export type KeySource = (
  greeting: CardGreeting,
  hostChallenge: Uint8Array,
) => HostKeys | Promise<HostKeys>

/** Session keys of either protocol from static keys. */
export function sessionKeys(
  keys: KeySet,
  { protocol, challenge, implementation, sequenceCounter = new Uint8Array(2) }: CardGreeting,
  hostChallenge: Uint8Array,
): SessionKeys {
  if (protocol === 'SCP03') return scp03SessionKeys(keys, hostChallenge, challenge)
  const { enc } = keys
  const hasOneKey = implementation !== undefined && scp02Options(implementation).hasOneKey
  return scp02SessionKeys(hasOneKey ? { enc, mac: enc, dek: enc } : keys, sequenceCounter)
}

/** Session keys from clear static keys. */
export function hostKeys(
  keys: KeySet,
  greeting: CardGreeting,
  hostChallenge: Uint8Array,
): HostKeys {
  const { dek, enc, mac, rmac } = sessionKeys(keys, greeting, hostChallenge)
  const encryptKeys = (added: readonly NewKey[]) =>
    added.map((key) => encryptKey(greeting.protocol, dek, key))
  return { enc, mac, rmac, encryptKeys }
}

/** The same static keys for every card. */
export const staticKeys =
  (keys: KeySet): KeySource =>
  (greeting, hostChallenge) =>
    hostKeys(keys, greeting, hostChallenge)
