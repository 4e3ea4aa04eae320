import { sortedBy } from '../../page.rules.ts'

/** `waiting` for its program to use the code, `connected`, or `away`. */
export const readerStates = ['waiting', 'connected', 'away'] as const
export type ReaderState = (typeof readerStates)[number]

/** Maximum readers of one service provider. */
export const maxReaders = 100

/** Characters of a name. */
export const readerNameLimit = 100

export const readerSorting = sortedBy(['createdAt'], 'createdAt', 'desc')

/** A search reads this many names. */
export const readerSearchLimit = 1_000

/** A pairing code: ten letters and digits that are not mistaken for one another, in any case. */
export const pairingPattern =
  '^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{5}-?[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{5}$'
/** How long a pairing code can be used. */
export const pairingMinutes = 10

/** Where the program of a reader connects to. */
export const readerSocketPath = '/api/maple/reader/socket'

/** The version of the messages below, sent in `hello`. */
export const readerProtocol = 1

/** Maximum message length: a command or reply with an extended length in hex, plus its envelope. */
export const maxReaderMessageLength = 140_000

/** Messages from a reader's program. */
export type FromReader =
  | { type: 'hello'; version: number; reader: string; host?: string }
  /** The card that is in the reader now; `cplc` is null for a card that has none. */
  | { type: 'card'; atr: string | null; cplc: string | null }
  | { type: 'reply'; id: number; data: string }
  /** `absent`: the command was not sent. `lost`: whether the card ran it is unknown. */
  | { type: 'failed'; id: number; code: 'absent' | 'inUse' | 'lost' }
  /** Do not reconnect. */
  | { type: 'leave' }

/**
 * Messages from the platform. A session has exclusive access to the card from `isFirst` until `end`.
 */
export type ToReader =
  | { type: 'welcome'; id: string }
  | { type: 'transmit'; id: number; session: string; isFirst: boolean; data: string }
  | { type: 'end'; session: string }
