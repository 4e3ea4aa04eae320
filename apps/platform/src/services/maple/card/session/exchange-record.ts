import type { Exchange } from '@grove/contract/maple/card/session'
import { redactionOf } from '@grove/contract/maple/program/redaction.rules'
import type { Redaction } from '@grove/contract/maple/card/session.rules'
import { commandName } from '@grove/secure-element/command-names'
import { statusWord } from '@grove/secure-element/status-word'
import { withoutData, withoutToken, withoutTokenPiece, type ByteRange } from './redact.ts'

/** A command in flight as stored: without secrets. */
export interface Flight {
  seq: number
  at: string
  step: string | null
  ins: number
  /** In hex; null in all but the first piece of a long command. */
  command: string | null
  /** In hex, if it is not the command itself. */
  sent: string | null
  redacted: { reason: Redaction; command: ByteRange | null; wrapped: ByteRange | null } | null
}

/**
 * The commands of a lease that may have reached the card: the first, and the following ones of its
 * batch, whose replies may already be stored. A single command is stored in the format of releases
 * before 1.1; of a batch they read only the first.
 */
export interface StoredFlight extends Flight {
  rest?: readonly Flight[]
}

export function storedFlight([first, ...rest]: readonly Flight[]): StoredFlight | null {
  return first ? { ...first, ...(rest.length > 0 && { rest }) } : null
}

/** Those after the last stored exchange. */
export function flightsIn(stored: StoredFlight | null, exchanges: number): Flight[] {
  if (!stored) return []
  const { rest = [], ...first } = stored
  return [first, ...rest].filter(({ seq }) => seq > exchanges)
}

/** A flight with its end. */
export interface ExchangeRecord extends Flight {
  reply: string | null
  received: string | null
  statusWord: number | null
  latencyUs: number | null
  isFailed: boolean
  problem: string | null
}

/** Upper-case hex, three times as fast as the package's function, which also runs in browsers. */
export const hexOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex').toUpperCase()

let shown = { at: Number.NaN, text: '' }

/** Several commands of a batch are sent within the same millisecond. */
function timeOf(at: number): string {
  if (shown.at !== at) shown = { at, text: new Date(at).toISOString() }
  return shown.text
}

interface Sent {
  seq: number
  at: number
  step: string | null
  /** The bytes on the transport. */
  bytes: Uint8Array
  /** The plain command, if it is protected; null in all but the first fragment. */
  plain: Uint8Array | null
  isProtected: boolean
  isSecret: boolean
}

export function flightOf({ seq, at, step, bytes, plain, isProtected, isSecret }: Sent): Flight {
  const meant = isProtected ? plain : bytes
  // If a protected command is sent in pieces, the first piece has the plain command with it.
  const token = meant ? withoutToken(meant) : withoutTokenPiece(bytes)
  const reason = redactionOf(plain ?? bytes, isSecret)
  const hide = (each: Uint8Array | null) => (each && (reason || token) ? withoutData(each) : null)
  const hidden = {
    command: reason ? hide(meant) : meant && token,
    wrapped: isProtected ? hide(bytes) : null,
  }
  const text = (each: Uint8Array | null, without: { bytes: Uint8Array } | null) =>
    each && hexOf(without?.bytes ?? each)
  return {
    seq,
    at: timeOf(at),
    step,
    ins: (plain ?? bytes)[1] ?? 0,
    command: text(meant, hidden.command),
    sent: isProtected ? text(bytes, hidden.wrapped) : null,
    redacted: (reason || token) && {
      reason: reason ?? 'secret',
      command: hidden.command?.range ?? null,
      wrapped: hidden.wrapped?.range ?? null,
    },
  }
}

/** A command stored ahead of its turn: it has no number yet, and is not protected. */
export const plannedOf = (
  { step, bytes, isSecret }: Pick<Sent, 'step' | 'bytes' | 'isSecret'>,
  at: number,
): Flight => flightOf({ seq: 0, at, step, bytes, plain: null, isProtected: false, isSecret })

/** A planned command as it is sent now. */
export function sentOf(
  planned: Flight,
  { seq, at, bytes, isProtected }: Pick<Sent, 'seq' | 'at' | 'bytes' | 'isProtected'>,
): Flight {
  const flight = { ...planned, seq, at: timeOf(at) }
  if (!isProtected) return flight
  const { redacted } = planned
  const hidden = redacted && withoutData(bytes)
  flight.sent = hexOf(hidden?.bytes ?? bytes)
  if (redacted && hidden) flight.redacted = { ...redacted, wrapped: hidden.range }
  return flight
}

/** An exchange whose response never arrived. */
export const unknownOf = (flight: Flight): ExchangeRecord =>
  recordOf(flight, {
    reply: null,
    received: null,
    statusWord: null,
    latencyUs: null,
    isFailed: true,
    problem: null,
  })

/** Field by field: an object that is spread and then extended takes fifty times as long. */
const recordOf = (
  { seq, at, step, ins, command, sent, redacted }: Flight,
  { reply, received, statusWord, latencyUs, isFailed, problem }: Omit<ExchangeRecord, keyof Flight>,
): ExchangeRecord => ({
  seq,
  at,
  step,
  ins,
  command,
  sent,
  redacted,
  reply,
  received,
  statusWord,
  latencyUs,
  isFailed,
  problem,
})

/** An exchange with its response; `reply` is null until it is unwrapped. */
export function answeredOf(
  flight: Flight,
  received: Uint8Array,
  { isProtected, latencyUs }: { isProtected: boolean; latencyUs: number },
): ExchangeRecord {
  const hex = hexOf(received)
  const [high, low] = received.subarray(-2)
  const word = high === undefined || low === undefined ? null : (high << 8) | low
  return recordOf(flight, {
    reply: isProtected ? null : hex,
    received: isProtected ? hex : null,
    statusWord: word,
    latencyUs,
    isFailed: word === null || isFailure(word),
    problem: null,
  })
}

const success = 0x9000
const hostCryptogramFailed = 0x6300

const isFailure = (word: number): boolean =>
  word !== success && (word === hostCryptogramFailed || statusWord(word).kind === 'error')

/** The name of a command by its header in hex. */
export const nameOf = (command: string): string | undefined => {
  const [cla = Number.NaN, ins = Number.NaN] = [command.slice(0, 2), command.slice(2, 4)].map(
    (byte) => Number.parseInt(byte, 16),
  )
  // The bits of secure messaging and of the logical channel do not affect the meaning.
  return commandName(cla & 0x80, ins)
}

/** An exchange as it is stored or on its way, in the form of the contract. */
export function exchangeOf(record: Flight & Partial<ExchangeRecord>, isWaiting = false): Exchange {
  const { seq, at, step, command, reply = null, sent, received = null, redacted } = record
  const { statusWord: word = null, latencyUs = null, isFailed = false, problem = null } = record
  return {
    seq,
    at,
    outcome: isWaiting
      ? 'waiting'
      : word === null && received === null && reply === null
        ? 'unknown'
        : 'answered',
    step,
    command,
    reply,
    wrapped: sent === null && received === null ? null : { command: sent, reply: received },
    statusWord: word === null ? null : word.toString(16).toUpperCase().padStart(4, '0'),
    latencyMs: latencyUs === null ? null : latencyUs / 1000,
    isFailed,
    redacted,
    problem,
  }
}
