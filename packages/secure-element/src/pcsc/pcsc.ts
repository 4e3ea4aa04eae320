/** A PC/SC reader of this machine, and the card in it. */
export interface ReaderState {
  name: string
  /** Null without a card. */
  atr: Uint8Array | null
  /** Increases with every insertion and removal, if the service counts them. */
  events: number
}

export interface PcscCard {
  /** @throws PcscError */
  transmit(command: Uint8Array): Promise<Uint8Array>
  /** Resets the card, so that the next program finds no open channel. */
  disconnect(): Promise<void>
}

/** The PC/SC service of this machine. */
export interface Pcsc {
  readers(): Promise<ReaderState[]>
  /** `isExclusive` locks out other programs. @throws PcscError */
  connect(reader: string, options: { isExclusive: boolean }): Promise<PcscCard>
  close(): void
}

/**
 * `absent`: there is no card, and nothing was sent. `inUse`: another program has it. `lost`: whether
 * the card ran the command is unknown. `service`: PC/SC itself does not answer.
 */
export type PcscErrorCode = 'absent' | 'inUse' | 'lost' | 'service'

export class PcscError extends Error {
  readonly code: PcscErrorCode
  constructor(code: PcscErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PcscError'
    this.code = code
  }
}

/**
 * A reply ends with a two-byte status word. A service may return none if the card was removed during
 * the command. @throws PcscError `lost`
 */
export function wholeReply(reply: Uint8Array): Uint8Array {
  if (reply.length < 2) throw new PcscError('lost', 'The card gave no reply')
  return reply
}
