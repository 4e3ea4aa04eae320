import type { RegistryEntry } from '../get-status.ts'
import type { SessionKeys } from '../secure-channel/key-set.ts'
import type { SecurityLevel } from '../secure-channel/security-level.ts'
import type { CardMessaging } from './card-messaging.ts'
import type { CardState, StoredLoadFile } from './card-state.ts'
import { hasPrivilege } from './domains.ts'

/** The volatile state of a logical channel. */
export interface Volatile {
  /** The AID of the selected application. */
  selected: string
  /** Between INITIALIZE UPDATE and EXTERNAL AUTHENTICATE. */
  opening?: Opening | undefined
  channel?: Channel
  /** Known from its certificates, before MUTUAL AUTHENTICATE. */
  host?: KnownHost | undefined
  /** Between INSTALL [for load] and the last block. */
  loading?: Loading | undefined
  /** A load file to be registered by the last INSTALL of load, install and make selectable. */
  loaded?: StoredLoadFile | undefined
  /** The application that receives STORE DATA after INSTALL [for personalization]. */
  personalizing?: string | undefined
  /** Blocks of STORE DATA before the last one. */
  storing?: { data: Uint8Array; next: number } | undefined
  /** The fragments of an INSTALL or PUT KEY that is too long for one command. */
  pieces?: { ins: number; data: Uint8Array } | undefined
  /** Entries for the next GET STATUS. */
  left?: { key: string; entries: RegistryEntry[] } | undefined
  /** Volatile state of the selected applet's model. */
  applet: Record<string, string>
}

export interface Loading {
  aid: string
  domainAid: string
  hash: Uint8Array
  /** Part of a combined load, install and make selectable. */
  isCombined: boolean
  /** By a domain with a token, so it gets a receipt. */
  delegated: boolean
  blocks: Uint8Array[]
  size: number
}

export interface Channel {
  messaging: CardMessaging
  level: SecurityLevel
  keyVersion: number
  /** Decrypts new keys. */
  dek: Uint8Array
  /** Only the card has authenticated itself (SCP11b), so the host may only read. */
  isHostUnknown?: boolean
}

/** The last verified certificate, and the card's key at the start of the chain. */
export interface KnownHost {
  keyVersion: number
  keyId: number
  /** The certificate of the host's own key; any other one signs the next certificate. */
  isLast: boolean
  point: Uint8Array
}

export interface Opening {
  /** The domain that owns the keys. */
  keyDomainAid: string
  keyVersion: number
  keys: SessionKeys
  hostCryptogram: Uint8Array
}

/** A card after power-on: the issuer domain is selected, or the application with Card Reset. */
export function noSession(state: CardState): Volatile {
  const { applications, issuerAid, lifeCycle } = state
  const first = applications.find(
    (each) =>
      hasPrivilege(state, each.aid, 'cardReset') && each.lifeCycle < 0x80 && each.lifeCycle > 0x03,
  )
  return { selected: lifeCycle < 0x7f && first ? first.aid : issuerAid, applet: {} }
}

/** The context of a command. */
export interface CardContext {
  /** As of the last write. */
  readonly state: CardState
  session: Volatile
  /** The sessions of the other open logical channels. */
  elsewhere: readonly Volatile[]
  write: (change: (next: CardState) => void) => void
  isCounterStuck: boolean
  hasOtherKeys: boolean
}
