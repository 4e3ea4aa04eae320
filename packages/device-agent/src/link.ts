/** Why a connection ended, in words; milliseconds that the platform asked for. */
export interface LinkEnd {
  reason: string
  retryIn: number
  /** The platform does not take the secret or the certificate. */
  isRefused: boolean
}

/** What carries the texts of both sides: a WebSocket, or a connection of MQTT. */
export interface AgentLink {
  send: (text: string) => void
  close: () => void
  ended: Promise<LinkEnd>
}

/** What a device shows in TLS, and whose servers it trusts, in PEM. */
export interface TlsKeys {
  cert?: Buffer | undefined
  key?: Buffer | undefined
  ca?: Buffer | undefined
}

export interface LinkOptions {
  address: string
  /** Left out by a device that shows a certificate. */
  secret?: string | undefined
  keys?: TlsKeys | undefined
  /** It is time to say hello. */
  onOpen: () => void
  onText: (text: string) => void
}

export type OpenLink = (options: LinkOptions) => AgentLink

export const handshakeMs = 15_000
