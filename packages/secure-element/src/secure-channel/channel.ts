import { encodeCommand, type Command, type Response } from '../apdu.ts'
import { DecodeError } from '../decode-error.ts'
import { exchange, type Exchange, type SeTransport } from '../host/transport.ts'
import { ChannelError } from './channel-error.ts'
import type { CardGreeting } from './initialize-update.ts'
import type { HostKeys } from './key-source.ts'
import { securedClass, type HostMessaging } from './messaging.ts'
import type { Scp11Variant } from './scp11-keys.ts'
import { hasCommandMac, longestData, type Protocol, type SecurityLevel } from './security-level.ts'

export type ChannelState = 'open' | 'waiting' | 'closed'

/** The plain command, and the bytes that were sent. */
export interface ChannelExchange extends Exchange {
  plain: Command
}

/** An open secure channel. Commands run one at a time; the first failure closes it. */
export interface SecureChannel {
  /** The protocol of the messages: SCP03 for an SCP11 channel. */
  protocol: Protocol
  /** The SCP11 variant, if both sides agreed on the keys. */
  agreement?: Scp11Variant
  implementation: number
  level: SecurityLevel
  keyVersion: number
  diversificationData: Uint8Array
  /** Encrypts new keys for PUT KEY; the encrypting key never leaves its source. */
  encryptKeys: HostKeys['encryptKeys']
  /** Maximum data length of a command sent in one piece. */
  longestData: number
  state(): ChannelState
  /** Sends a command once, wrapped, and returns the unwrapped reply. */
  send: (command: Command) => Promise<Response>
  close(): void
}

interface Opened {
  greeting: CardGreeting
  implementation: number
  level: SecurityLevel
  messaging: HostMessaging
  encryptKeys: HostKeys['encryptKeys']
  onExchange: ((exchange: ChannelExchange) => void) | undefined
}

/** Commands that GlobalPlatform cards accept in fragments: P1 has bit 80 set on all but the last. */
const inPieces = new Set([0xe4, 0xe6, 0xd8])
const morePieces = 0x80
const pieceLength = 0xff
/** Maximum data of an extended command, less padding and MAC. */
const maxExtendedLength = 0xffff - 16 - 16

export function secureChannel(
  transport: SeTransport,
  { greeting, implementation, level, messaging, encryptKeys, onExchange }: Opened,
): SecureChannel {
  const { protocol } = greeting
  const most = longestData(protocol, level, implementation)
  let state: ChannelState = 'open'

  const sendAll = async (plain: Command): Promise<Response> => {
    const pieces = piecesOf(messaging.wrap(plain), plain)
    for (const [index, piece] of pieces.entries()) {
      const response = await exchange(transport, piece, (each) => onExchange?.({ plain, ...each }))
      const isLast = index === pieces.length - 1
      if (isLast || response.statusWord !== 0x9000) return messaging.unwrap(response)
    }
    throw new ChannelError('closed')
  }

  return {
    protocol,
    implementation,
    level,
    keyVersion: greeting.keyVersion,
    diversificationData: greeting.diversificationData,
    encryptKeys,
    longestData: most,
    state: () => state,
    async send(command) {
      if (state !== 'open') throw new ChannelError(state === 'closed' ? 'closed' : 'busy')
      refuse(command, { level, protocol }, most)
      state = 'waiting'
      try {
        const response = await sendAll(command)
        // It may have been closed meanwhile.
        if (state === 'waiting') state = 'open'
        return response
      } catch (cause) {
        state = 'closed'
        if (cause instanceof ChannelError) throw cause
        throw new ChannelError(
          cause instanceof DecodeError ? 'malformedReply' : 'transportFailed',
          { cause },
        )
      }
    },
    close() {
      state = 'closed'
    },
  }
}

/** Rejects what cannot be sent before anything changes, so that the channel stays open. */
function refuse(
  command: Command,
  { level, protocol }: { level: SecurityLevel; protocol: Protocol },
  most: number,
) {
  encodeCommand({ ...command, isExtended: true })
  if (hasCommandMac(level)) securedClass(command.cla)
  const { length } = command.data
  // SCP02 has no extended lengths on the wire.
  const fits = command.isExtended && protocol === 'SCP03' ? maxExtendedLength : most
  if (length <= fits) return
  const isChained = hasCommandMac(level) && inPieces.has(command.ins)
  if (isChained && length <= maxExtendedLength) return
  throw new ChannelError('commandTooLong', { expected: `${fits}`, found: `${length}` })
}

/**
 * Splits a wrapped command that is too long for one APDU. Its MAC covers the whole command with the
 * P1 of the last fragment, as GlobalPlatformPro sends it.
 */
function piecesOf(wrapped: Command, plain: Command): Command[] {
  if (!wrapped.isExtended || !inPieces.has(plain.ins)) return [wrapped]
  const { data } = wrapped
  const count = Math.max(1, Math.ceil(data.length / pieceLength))
  return Array.from({ length: count }, (_, index) => ({
    ...wrapped,
    p1: index < count - 1 ? wrapped.p1 | morePieces : wrapped.p1,
    data: data.slice(index * pieceLength, (index + 1) * pieceLength),
    isExtended: false,
  }))
}
