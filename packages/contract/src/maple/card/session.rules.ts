import { sortedBy } from '../../page.rules.ts'

/**
 * `opening` until the element can be reached, `waiting` while a command has no reply yet. The last
 * three are final: `failed` after an error, `expired` after the idle timeout.
 */
export const sessionStates = [
  'opening',
  'active',
  'waiting',
  'closed',
  'failed',
  'expired',
] as const
export type SessionState = (typeof sessionStates)[number]

/** States that a list can be filtered by: `waiting` is a moment of `active`. */
export const storedSessionStates = ['opening', 'active', 'closed', 'failed', 'expired'] as const
export type StoredSessionState = (typeof storedSessionStates)[number]

/** The purpose of a session. A person types into `console`; the others run automatically. */
export const sessionPurposes = [
  'console',
  'read',
  'domains',
  'applet',
  'keys',
  'terminate',
  'replay',
  'program',
] as const
export type SessionPurpose = (typeof sessionPurposes)[number]

/** How the element is reached. */
export const sessionTransports = ['virtual', 'reader', 'device'] as const
export type SessionTransport = (typeof sessionTransports)[number]

/** Why a session ended without an error. */
export const sessionEnds = [
  'ended',
  'taken_over',
  'finished',
  'idle',
  'server_stopped',
  'server_restarted',
] as const
export type SessionEnd = (typeof sessionEnds)[number]

/** Why a session failed. */
export const sessionFailures = [
  'wrong_keys',
  'channel_refused',
  'channel_broken',
  'transport_failed',
  'power_lost',
  'lease_lost',
  'internal',
] as const
export type SessionFailure = (typeof sessionFailures)[number]

/**
 * `answered`: the card replied. `unknown`: whether the card ran the command is unknown, and nothing
 * repeats it. `waiting`: it is in flight.
 */
export const exchangeOutcomes = ['answered', 'unknown', 'waiting'] as const
export type ExchangeOutcome = (typeof exchangeOutcomes)[number]

/** Why bytes were not stored: new keys, a PIN, or data that was marked secret. */
export const redactions = ['keys', 'pin', 'secret'] as const
export type Redaction = (typeof redactions)[number]

export const exportFormats = ['text', 'json', 'script'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The form of protected exchanges in a trace: the plain commands, or the bytes on the transport. */
export const traceForms = ['plain', 'sent'] as const
export type TraceForm = (typeof traceForms)[number]

export const securityLevelTexts = ['00', '01', '03', '11', '13', '33'] as const

export const sessionSorting = sortedBy(['openedAt'], 'openedAt', 'desc')

export const exchangeSorting = sortedBy(['seq'], 'seq', 'asc')

/** A page of a search reads this many exchanges. */
export const exchangeSearchLimit = 10_000

/** Limits of a batch: all of it is stored before the first command is sent. */
export const maxBatchCommands = 100
export const maxBatchBytes = 32_768

/** Hex digits of one command with an extended length, and spaces between its bytes. */
export const maxCommandTextLength = 200_000

/** Whether a session can still send commands. */
export const isLive = (state: SessionState): boolean =>
  state === 'opening' || state === 'active' || state === 'waiting'
