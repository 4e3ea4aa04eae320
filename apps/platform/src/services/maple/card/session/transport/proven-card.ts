import { readIdentity } from '@grove/secure-element/host/read-identity'
import { exchange } from '@grove/secure-element/host/transport'
import { ReaderLost } from '../../reader/reader-hub.ts'

interface Way {
  send: (command: Uint8Array, isFirst: boolean) => Promise<Uint8Array>
  end: () => void
}

/**
 * A card behind a third-party program. It is opened with the first command, after the session has its
 * lease, and must report the requested CPLC or what the id is derived from: the program's announcement only says where to look.
 */
export function provenCard(cplc: string, { send, end }: Way) {
  let taken: Promise<void> | undefined
  const take = async () => {
    let isFirst = true
    const transmit = (command: Uint8Array) => {
      const sent = send(command, isFirst)
      isFirst = false
      return sent
    }
    const found = await readIdentity((command) => exchange({ transmit }, command))
    if (found !== cplc) throw new ReaderLost('absent')
  }
  return {
    async transmit(command: Uint8Array): Promise<Uint8Array> {
      taken ??= take()
      await taken
      return send(command, false)
    },
    close: async (): Promise<void> => {
      if (taken) end()
    },
  }
}
