import type { Command } from '../apdu.ts'
import { concat, readHex } from '../bytes.ts'
import { scp02Challenge, scp02Cryptogram, scp02SessionKeys } from '../secure-channel/scp02-keys.ts'
import { scp03Challenge, scp03Cryptogram, scp03SessionKeys } from '../secure-channel/scp03-keys.ts'
import { isSame } from '../secure-channel/messaging.ts'
import { scp02Options } from '../secure-channel/scp02-options.ts'
import {
  hasPseudoRandomChallenge,
  isSecurityLevel,
  levelsOf,
  macLengthOf,
} from '../secure-channel/security-level.ts'
import { cardMessaging } from './card-messaging.ts'
import type { SessionKeys } from '../secure-channel/key-set.ts'
import { random, type StoredKeySet } from './card-state.ts'
import { channelAlgorithm, changeKeySet, domainData, keyDomainOf, opensChannel } from './domains.ts'
import { diversificationData } from './objects.ts'
import { refuse } from './refusal.ts'
import type { CardContext, Channel, Opening } from './volatile.ts'

const bigEndian = (value: number, length: number) =>
  Uint8Array.from({ length }, (_, index) => (value >> (8 * (length - 1 - index))) & 0xff)

/** INITIALIZE UPDATE: the reply, and what EXTERNAL AUTHENTICATE is checked against. */
export function greet(
  context: CardContext,
  command: Command,
): { data: Uint8Array; opening: Opening } {
  const { p1, p2, data: host } = command
  if (p2 !== 0) return refuse('wrongParameters')
  const { state, session } = context
  const domain = domainData(state, session.selected) ?? refuse('unknownInstruction')
  if (host.length !== macLengthOf(state.protocol, domain.implementation))
    return refuse('wrongLength')
  const keyDomainAid = keyDomainOf(state, session.selected)
  const sets = domainData(state, keyDomainAid)?.keySets ?? []
  const isOpening = opensChannel(state)
  const found = sets.find((each) => (p1 === 0 ? isOpening(each) : each.version === p1))
  const set = found ?? refuse('missingReference')
  if (set.failures >= state.mostFailures) return refuse('blocked')
  const greeting = { context, keyDomainAid, set, implementation: domain.implementation, host }
  return state.protocol === 'SCP03' ? greet03(greeting) : greet02(greeting)
}

interface Greeting {
  context: CardContext
  /** The domain that owns the keys: the selected one, or one above it. */
  keyDomainAid: string
  set: StoredKeySet
  implementation: number
  host: Uint8Array
}

const keysOf = (
  { keys }: StoredKeySet,
  { state, hasOtherKeys }: CardContext,
  hasOneKey = false,
) => {
  const algorithm = channelAlgorithm(state)
  const [enc, mac, dek] = [1, 2, 3].map((each) => {
    const id = hasOneKey ? 1 : each
    const key =
      keys.find((found) => found.id === id && found.algorithm === algorithm) ??
      refuse('missingReference')
    const value = readHex(key.value)
    return hasOtherKeys ? value.map((byte) => byte ^ 0xff) : value
  })
  return enc && mac && dek ? { enc, mac, dek } : refuse('missingReference')
}

const challengeOf = (context: CardContext, length: number) => {
  let challenge = new Uint8Array(length)
  context.write((next) => {
    challenge = new Uint8Array(random(next, length))
  })
  return challenge
}

function greet03({ context, keyDomainAid, set, implementation, host }: Greeting) {
  const { session, isCounterStuck } = context
  const keys = keysOf(set, context)
  const isCounted = hasPseudoRandomChallenge('SCP03', implementation)
  const counter = isCounterStuck ? set.counter : set.counter + 1
  if (counter > 0xff_ffff) return refuse('notNow')
  if (isCounted)
    context.write((next) =>
      changeKeySet(next, keyDomainAid, set.version, (changed) => {
        changed.counter = counter
      }),
    )
  const sequence = bigEndian(counter, 3)
  const challenge = isCounted
    ? scp03Challenge(keys.enc, sequence, readHex(session.selected), host.length)
    : challengeOf(context, host.length)
  const made = scp03SessionKeys(keys, host, challenge)
  const cryptogram = (side: 'card' | 'host') => scp03Cryptogram(side, made.mac, host, challenge)
  return {
    data: concat(
      diversificationData(context.state),
      [set.version, 0x03, implementation],
      challenge,
      cryptogram('card'),
      isCounted ? sequence : [],
    ),
    opening: { ...openingOf(keyDomainAid, set, made), hostCryptogram: cryptogram('host') },
  }
}

const openingOf = (keyDomainAid: string, { version }: StoredKeySet, keys: SessionKeys) => ({
  keyDomainAid,
  keyVersion: version,
  keys,
})

function greet02({ context, keyDomainAid, set, implementation, host }: Greeting) {
  const sequence = bigEndian(set.counter, 2)
  const { hasOneKey, isImplicit } = scp02Options(implementation)
  if (isImplicit) return refuse('unknownInstruction')
  const made = scp02SessionKeys(keysOf(set, context, hasOneKey), sequence)
  const challenge = hasPseudoRandomChallenge('SCP02', implementation)
    ? scp02Challenge(made.mac, readHex(context.session.selected))
    : challengeOf(context, 6)
  const cryptogram = (side: 'card' | 'host') =>
    scp02Cryptogram(side, made.enc, host, sequence, challenge)
  return {
    data: concat(
      diversificationData(context.state),
      [set.version, 0x02],
      sequence,
      challenge,
      cryptogram('card'),
    ),
    opening: { ...openingOf(keyDomainAid, set, made), hostCryptogram: cryptogram('host') },
  }
}

/**
 * The channel that a first protected command opens if the selected domain has an implicit option of
 * SCP02; otherwise undefined. A wrong MAC counts against the keys.
 */
export function openedImplicitly(
  context: CardContext,
  command: Command,
): { channel: Channel; plain: Command } | undefined {
  const { state, session, isCounterStuck, write } = context
  const { implementation } = domainData(state, session.selected) ?? refuse('notNow')
  const { hasOneKey, isImplicit } = scp02Options(implementation)
  if (state.protocol !== 'SCP02' || !isImplicit) return undefined
  const keyDomainAid = keyDomainOf(state, session.selected)
  const set =
    domainData(state, keyDomainAid)?.keySets.find(opensChannel(state)) ?? refuse('missingReference')
  const { version, failures } = set
  if (failures >= state.mostFailures) return refuse('blocked')
  const keys = scp02SessionKeys(keysOf(set, context, hasOneKey), bigEndian(set.counter, 2))
  const aid = readHex(session.selected)
  const messaging = cardMessaging('SCP02', implementation, keys, aid)
  const plain = messaging.unwrap(command)
  write((next) =>
    changeKeySet(next, keyDomainAid, version, (changed) => {
      changed.failures = plain ? 0 : failures + 1
      if (plain && !isCounterStuck) changed.counter = (changed.counter + 1) & 0xffff
    }),
  )
  if (!plain) return refuse('notSecure')
  return { channel: { messaging, level: 0x01, keyVersion: version, dek: keys.dek }, plain }
}

/** EXTERNAL AUTHENTICATE: the channel that it opens. A failure counts against the keys. */
export function openedBy(
  { state, session, isCounterStuck, write }: CardContext,
  { keyDomainAid, keyVersion, keys, hostCryptogram }: Opening,
  command: Command,
): Channel {
  const { p1: level, p2, data } = command
  if (p2 !== 0 || !isSecurityLevel(level)) return refuse('wrongParameters')
  const { implementation } = domainData(state, session.selected) ?? refuse('notNow')
  if (!levelsOf(state.protocol, implementation).includes(level)) return refuse('wrongParameters')
  const size = macLengthOf(state.protocol, implementation)
  if (data.length !== 2 * size) return refuse('wrongLength')
  const messaging = cardMessaging(state.protocol, implementation, keys)
  const plain = messaging.unwrap(command)
  const isHost = isSame(data.subarray(0, size), hostCryptogram)
  const change = (to: (set: StoredKeySet) => void) =>
    write((next) => changeKeySet(next, keyDomainAid, keyVersion, to))
  if (!plain || !isHost) {
    change((set) => {
      set.failures++
    })
    return refuse(isHost ? 'notSecure' : 'wrongCryptogram')
  }
  const set = domainData(state, keyDomainAid)?.keySets.find((each) => each.version === keyVersion)
  const isCounted = state.protocol === 'SCP02' && !isCounterStuck
  if (isCounted || (set && set.failures > 0))
    change((changed) => {
      changed.failures = 0
      if (isCounted) changed.counter = (changed.counter + 1) & 0xffff
    })
  messaging.raise(level)
  return { messaging, level, keyVersion, dek: keys.dek }
}
