import { randomBytes } from 'node:crypto'
import type { Command, Response } from '../apdu.ts'
import { toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { exchange, type SeTransport } from '../host/transport.ts'
import { cryptogramOf, fitsGreeting } from './card-cryptogram.ts'
import { secureChannel, type ChannelExchange, type SecureChannel } from './channel.ts'
import { ChannelError } from './channel-error.ts'
import {
  announcedChallengeLength,
  initializeUpdate,
  parseInitializeUpdate,
  type CardGreeting,
  type ChallengeLength,
} from './initialize-update.ts'
import type { ChannelKeys } from './key-set.ts'
import type { KeySource } from './key-source.ts'
import { isSame } from './messaging.ts'
import { implicitGreeting } from './open-implicit.ts'
import { scp02Challenge } from './scp02-keys.ts'
import { scp02Host } from './scp02-host.ts'
import { scp02Options } from './scp02-options.ts'
import { scp03Host } from './scp03-host.ts'
import {
  hasPseudoRandomChallenge,
  implementations,
  levelsOf,
  macLengthOf,
  type Protocol,
  type SecurityLevel,
} from './security-level.ts'

export interface OpenOptions {
  keys: KeySource
  level: SecurityLevel
  /** Default: 0, which lets the card choose the keys. */
  keyVersion?: number
  /** Refuses every other protocol. */
  protocol?: Protocol
  /**
   * Option `i` of SCP02, which only the card recognition data contains (`recognisedChannels`). The
   * default is 15.
   */
  scp02Implementation?: number
  /**
   * The selected application. If given, the pseudo-random challenge of an SCP02 card is verified.
   * For SCP03 that would take the static key, which a key source need not have. An implicit channel
   * of SCP02 needs it.
   */
  aid?: Uint8Array
  /** The length tried first; default: 8. A card in S16 mode needs 16. */
  challengeLength?: ChallengeLength
  /** Replaces random bytes: tests pass those of recorded sessions. Then no other length is tried. */
  hostChallenge?: Uint8Array
  /** Called for every exchange, including those that open the channel. */
  onExchange?: (exchange: ChannelExchange) => void
}

const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0')

/**
 * Opens a secure channel to the selected security domain: INITIALIZE UPDATE, then EXTERNAL
 * AUTHENTICATE. Cards count failed attempts and lock themselves, so a wrong card cryptogram aborts
 * before EXTERNAL AUTHENTICATE, which is sent only once. INITIALIZE UPDATE is not counted, so it is
 * resent if the card expects a challenge of the other length.
 */
export async function openSecureChannel(
  transport: SeTransport,
  options: OpenOptions,
): Promise<SecureChannel> {
  const { level, keyVersion = 0, onExchange } = options
  const sendOnce = async (plain: Command, command: Command): Promise<Response> => {
    try {
      return await exchange(transport, command, (each) => onExchange?.({ plain, ...each }))
    } catch (cause) {
      throw new ChannelError(cause instanceof DecodeError ? 'malformedReply' : 'transportFailed', {
        cause,
      })
    }
  }
  const { scp02Implementation } = options
  if (scp02Implementation !== undefined && isImplicit(scp02Implementation))
    return openImplicitly(transport, sendOnce, { ...options, scp02Implementation })
  const { reply, hostChallenge } = await greeted(options, (challenge) => {
    const first = initializeUpdate({ keyVersion, hostChallenge: challenge })
    return sendOnce(first, first)
  })
  if (reply.statusWord !== 0x9000)
    throw new ChannelError('initializeRefused', { statusWord: reply.statusWord })
  const said = read(reply, hostChallenge)
  const implementation = check(said, options)
  const greeting = { ...said, implementation }
  const { plain, command, messaging, session } = await fitting(async () => {
    const keys = await options.keys(greeting, hostChallenge)
    return {
      session: keys,
      ...authenticate(greeting, keys, hostChallenge, { level, implementation }),
    }
  })
  const { aid } = options
  if (
    aid &&
    greeting.protocol === 'SCP02' &&
    hasPseudoRandomChallenge('SCP02', implementation) &&
    !isSame(scp02Challenge(session.mac, aid), greeting.challenge)
  )
    throw new ChannelError('wrongCardChallenge')
  const { statusWord } = await sendOnce(plain, command)
  if (statusWord !== 0x9000) throw new ChannelError('authenticationRefused', { statusWord })
  return secureChannel(transport, {
    greeting,
    implementation,
    level,
    messaging,
    encryptKeys: session.encryptKeys,
    onExchange,
  })
}

const isImplicit = (implementation: number): boolean =>
  implementations.SCP02.includes(implementation) && scp02Options(implementation).isImplicit

/** Opens a channel without sending a command: the first command proves the keys. */
async function openImplicitly(
  transport: SeTransport,
  sendOnce: (plain: Command, command: Command) => Promise<Response>,
  options: OpenOptions & { scp02Implementation: number },
): Promise<SecureChannel> {
  const { aid, level, keyVersion = 0, scp02Implementation: implementation, onExchange } = options
  if (!aid)
    throw new ChannelError('unsupportedImplementation', {
      expected: 'the identifier of the selected application',
      found: hex(implementation),
    })
  const said = { protocol: 'SCP02' as const, keyVersion }
  check({ ...said, ...noProof }, options)
  const greeting = await implicitGreeting(sendOnce, { keyVersion, implementation })
  const session = await fitting(async () => options.keys(greeting, new Uint8Array()))
  return secureChannel(transport, {
    greeting,
    implementation,
    level,
    messaging: scp02Host(session, scp02Options(implementation), aid),
    encryptKeys: session.encryptKeys,
    onExchange,
  })
}

const none = new Uint8Array()
const noProof = { diversificationData: none, challenge: none, cryptogram: none }

const wrongLength = 0x6700

/** The reply to INITIALIZE UPDATE; to the second one, if the card needs another challenge length. */
async function greeted(
  { hostChallenge, challengeLength = 8 }: OpenOptions,
  initialize: (challenge: Uint8Array) => Promise<Response>,
): Promise<{ reply: Response; hostChallenge: Uint8Array }> {
  const made = (length: number) => new Uint8Array(randomBytes(length))
  const ask = async (challenge: Uint8Array) => ({
    reply: await initialize(challenge),
    hostChallenge: challenge,
  })
  if (hostChallenge) return ask(hostChallenge)
  const first = await ask(made(challengeLength))
  const { data, statusWord } = first.reply
  const other = challengeLength === 8 ? 16 : 8
  const wanted = statusWord === wrongLength ? other : announcedChallengeLength(data)
  return wanted === other ? ask(made(other)) : first
}

function read({ data, statusWord }: Response, hostChallenge: Uint8Array): CardGreeting {
  const malformed = (cause?: unknown) =>
    new ChannelError('malformedReply', { statusWord, found: toHex(data), cause })
  let greeting: CardGreeting
  try {
    greeting = parseInitializeUpdate(data)
  } catch (cause) {
    throw malformed(cause)
  }
  const { protocol, challenge } = greeting
  if (protocol === 'SCP03' && challenge.length !== hostChallenge.length) throw malformed()
  return greeting
}

/** Compares the card's offer with what was requested, and returns its option `i`. */
function check(greeting: CardGreeting, options: OpenOptions): number {
  const { protocol, keyVersion } = greeting
  if (options.protocol !== undefined && options.protocol !== protocol)
    throw new ChannelError('otherProtocol', { expected: options.protocol, found: protocol })
  const wanted = options.keyVersion ?? 0
  if (wanted !== 0 && wanted !== keyVersion)
    throw new ChannelError('otherKeyVersion', { expected: hex(wanted), found: hex(keyVersion) })
  const implementation = greeting.implementation ?? options.scp02Implementation ?? 0x15
  if (!implementations[protocol].includes(implementation))
    throw new ChannelError('unsupportedImplementation', {
      expected: implementations[protocol].map(hex).join(' / '),
      found: hex(implementation),
    })
  const levels = levelsOf(protocol, implementation)
  if (!levels.includes(options.level))
    throw new ChannelError('unsupportedLevel', {
      expected: levels.map(hex).join(' / '),
      found: hex(options.level),
    })
  return implementation
}

/** Verifies the card cryptogram, then builds EXTERNAL AUTHENTICATE and the messaging after it. */
function authenticate(
  greeting: CardGreeting,
  session: ChannelKeys,
  hostChallenge: Uint8Array,
  { level, implementation }: { level: SecurityLevel; implementation: number },
) {
  const { protocol, cryptogram } = greeting
  if (!fitsGreeting(session, greeting, hostChallenge))
    throw new ChannelError('wrongCardCryptogram', { found: toHex(cryptogram) })
  const plain: Command = {
    cla: 0x80,
    ins: 0x82,
    p1: level,
    p2: 0,
    data: cryptogramOf('host', session, greeting, hostChallenge),
    isExtended: false,
  }
  if (protocol === 'SCP03') {
    const size = macLengthOf(protocol, implementation)
    const first = scp03Host(session, 0x01, size)
    const command = first.wrap(plain)
    return { plain, command, messaging: scp03Host(session, level, size, first.chain()) }
  }
  const messaging = scp02Host(session, scp02Options(implementation))
  const command = messaging.wrap(plain)
  messaging.raise(level)
  return { plain, command, messaging }
}

/** Keys of a wrong length suit no protocol. Errors of a vault pass unchanged. */
async function fitting<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    throw new ChannelError('wrongKeys', {
      cause,
      ...(cause.expected !== undefined && { expected: cause.expected }),
      ...(cause.found !== undefined && { found: cause.found }),
    })
  }
}
