import { parseResponse } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { normalizeCplc } from '@grove/secure-element/cplc'
import { ReaderLost } from '../../reader/reader-hub.ts'

const cplcCommand = readHex('80CA9F7F00')

interface Way {
  send: (command: Uint8Array, isFirst: boolean) => Promise<Uint8Array>
  end: () => void
}

/**
 * A card behind a third-party program. It is opened with the first command, after the session has its
 * lease, and must report the requested CPLC: the program's announcement only says where to look.
 */
export function provenCard(cplc: string, { send, end }: Way) {
  let taken: Promise<void> | undefined
  const take = async () => {
    const { data, statusWord } = parseResponse(await send(cplcCommand, true))
    if (statusWord !== 0x9000 || normalizeCplc(toHex(data)) !== cplc) throw new ReaderLost('absent')
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
