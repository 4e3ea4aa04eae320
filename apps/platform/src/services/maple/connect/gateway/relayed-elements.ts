import type { LocalElements } from '../../card/relay/element-relay.ts'
import { ReaderLost, type ReaderHub } from '../../card/reader/reader-hub.ts'
import type { DeviceHub } from './device-hub.ts'

/** The elements in this process's devices, for sessions of other processes. */
export const relayedDevices = ({ live, offering }: DeviceHub): LocalElements => ({
  async exchange({ at, ...exchange }) {
    const device = live.get(at)
    if (!device?.offers(exchange.cplc)) throw new ReaderLost('absent')
    return device.exchange(exchange)
  },
  end: (at, session) => live.get(at)?.endSession(session),
  isAny: () => offering.size > 0,
})

/** Those in its readers. */
export const relayedReaders = ({ live }: ReaderHub): LocalElements => ({
  async exchange({ at, session, isFirst, command }) {
    const reader = live.get(at)
    if (!reader) throw new ReaderLost('absent')
    return reader.transmit(session, isFirst, command)
  },
  end: (at, session) => live.get(at)?.endSession(session),
  isAny: () => live.size > 0,
})
