/** Why a connection ended, as a sentence; the delay that the platform requested, in milliseconds. */
export interface LinkEnd {
  reason: string
  retryIn: number
  /** The platform does not accept the secret or the certificate. */
  isRefused: boolean
}

/** The transport of the messages: a WebSocket, or an MQTT connection. */
export interface AgentLink {
  send: (text: string) => void
  close: () => void
  ended: Promise<LinkEnd>
}

/** The TLS identity of a device and its trusted authorities, in PEM. */
export interface TlsKeys {
  cert?: Buffer | undefined
  key?: Buffer | undefined
  ca?: Buffer | undefined
}

export interface LinkOptions {
  address: string
  /** Omitted by a device that presents a certificate. */
  secret?: string | undefined
  keys?: TlsKeys | undefined
  /** Ready to send hello. */
  onOpen: () => void
  onText: (text: string) => void
}

export type OpenLink = (options: LinkOptions) => AgentLink

export const handshakeMs = 15_000
