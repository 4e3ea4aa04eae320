/** Why a connection ended, in words; milliseconds that the platform asked for. */
export interface LinkEnd {
  reason: string
  retryIn: number
  /** The platform does not take the secret. */
  isRefused: boolean
}

/** What carries the texts of both sides: a WebSocket, or a connection of MQTT. */
export interface AgentLink {
  send: (text: string) => void
  close: () => void
  ended: Promise<LinkEnd>
}

export interface LinkOptions {
  address: string
  secret: string
  /** It is time to say hello. */
  onOpen: () => void
  onText: (text: string) => void
}

export type OpenLink = (options: LinkOptions) => AgentLink

export const handshakeMs = 15_000
