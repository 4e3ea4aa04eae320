import type { CardGreeting } from './initialize-update.ts'
import type { ChannelKeys } from './key-set.ts'
import { isSame } from './messaging.ts'
import { scp02Cryptogram } from './scp02-keys.ts'
import { scp03Cryptogram } from './scp03-keys.ts'

/** A cryptogram proves possession of the session keys. */
export function cryptogramOf(
  side: 'card' | 'host',
  keys: ChannelKeys,
  { protocol, challenge, sequenceCounter = new Uint8Array(2) }: CardGreeting,
  hostChallenge: Uint8Array,
): Uint8Array {
  return protocol === 'SCP03'
    ? scp03Cryptogram(side, keys.mac, hostChallenge, challenge)
    : scp02Cryptogram(side, keys.enc, hostChallenge, sequenceCounter, challenge)
}

/** Whether these keys match the card's cryptogram. It sends nothing, so it costs no attempt. */
export const fitsGreeting = (
  keys: ChannelKeys,
  greeting: CardGreeting,
  hostChallenge: Uint8Array,
): boolean => isSame(cryptogramOf('card', keys, greeting, hostChallenge), greeting.cryptogram)
