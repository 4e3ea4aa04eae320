import { PcscError, wholeReply, type Pcsc } from './pcsc.ts'

/** The part of the native library (`smartcard` on npm) that we use. */
interface Library {
  Context: new () => {
    listReaders(): {
      name: string
      state: number
      atr: Buffer | null
      connect(mode?: number, protocol?: number): Promise<LibraryCard>
    }[]
    close(): void
  }
  SCARD_SHARE_EXCLUSIVE: number
  SCARD_SHARE_SHARED: number
  SCARD_PROTOCOL_T0: number
  SCARD_PROTOCOL_T1: number
  SCARD_RESET_CARD: number
}
interface LibraryCard {
  transmit(command: Buffer, options?: { maxRecvLength?: number }): Promise<Buffer>
  disconnect(disposition?: number): void
}

/** In a variable, so that bundlers do not resolve an optional library. */
const libraryName = 'smartcard'
const maxReplyLength = 65_546

/**
 * Opens PC/SC through the native library of macOS, Windows and others. @throws PcscError `service`.
 */
export async function openNative(): Promise<Pcsc> {
  let library: Library
  try {
    library = (await import(libraryName)) as Library
  } catch (cause) {
    throw new PcscError(
      'service',
      `The PC/SC library is not installed. Install it beside this program, with a C++ compiler: add --package ${libraryName}@3.7.0 to npx, or npm install --no-save ${libraryName}@3.7.0`,
      { cause },
    )
  }
  const { SCARD_PROTOCOL_T0: t0, SCARD_PROTOCOL_T1: t1 } = library
  const context = new library.Context()
  const lost = (cause: unknown) =>
    new PcscError('lost', cause instanceof Error ? cause.message : 'The reader lost the card', {
      cause,
    })
  return {
    readers: () =>
      Promise.resolve(
        context.listReaders().map(({ name, state, atr }) => ({
          name,
          // The upper half of the state is the event counter.
          events: state >>> 16,
          atr: atr && atr.length > 0 ? new Uint8Array(atr) : null,
        })),
      ),
    async connect(name, { isExclusive }) {
      const reader = context.listReaders().find((each) => each.name === name)
      if (!reader) throw new PcscError('absent', 'The reader is gone')
      const mode = isExclusive ? library.SCARD_SHARE_EXCLUSIVE : library.SCARD_SHARE_SHARED
      const card = await reader.connect(mode, t0 | t1).catch((cause: unknown) => {
        const text = cause instanceof Error ? cause.message : ''
        throw new PcscError(/shar/iu.test(text) ? 'inUse' : 'absent', text, { cause })
      })
      return {
        transmit: async (command) =>
          wholeReply(
            new Uint8Array(
              await card
                .transmit(Buffer.from(command), { maxRecvLength: maxReplyLength })
                .catch((cause: unknown) => Promise.reject(lost(cause))),
            ),
          ),
        disconnect: () => Promise.resolve(card.disconnect(library.SCARD_RESET_CARD)),
      }
    },
    close: () => context.close(),
  }
}
