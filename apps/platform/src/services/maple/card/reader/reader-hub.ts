import { randomUUID } from 'node:crypto'

/** The command did not reach the card, or this is unknown. */
export class ReaderLost extends Error {
  /** `tooLong`: it exceeds the device's maximum message length, so nothing was sent. */
  readonly code: 'absent' | 'inUse' | 'lost' | 'tooLong'
  constructor(code: ReaderLost['code']) {
    super(`The reader answers no more: ${code}`)
    this.name = 'ReaderLost'
    this.code = code
  }
}

/** A reader whose program is connected to this process. */
export interface ConnectedReader {
  transmit: (session: string, isFirst: boolean, command: Uint8Array) => Promise<Uint8Array>
  endSession: (session: string) => void
  drop: (reason: string) => void
}

/** The readers of this process, which runs sessions under the same id. */
export function openReaderHub(processId: string = randomUUID()) {
  const live = new Map<string, ConnectedReader>()
  return {
    processId,
    live,
    /** A reader has one connection: a new one ends the one before, which may hang. */
    add(id: string, reader: ConnectedReader) {
      live.get(id)?.drop('connected again')
      live.set(id, reader)
    },
    remove(id: string, reader: ConnectedReader): boolean {
      if (live.get(id) !== reader) return false
      live.delete(id)
      return true
    },
    drop(id: string, reason: string) {
      live.get(id)?.drop(reason)
    },
  }
}

export type ReaderHub = ReturnType<typeof openReaderHub>
