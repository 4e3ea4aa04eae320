import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Notices } from '../../../core/database/notices.ts'
import { ReaderLost } from '../reader/reader-hub.ts'

/** A device that is connected to this process. */
export interface ConnectedDevice {
  serviceId: string | null
  isOffering: () => boolean
  /** The element is among those that it offers, and people accepted the device. */
  offers: (cplc: string) => boolean
  /** @throws ReaderLost */
  exchange: (exchange: {
    session: string
    isFirst: boolean
    cplc: string
    command: Uint8Array
  }) => Promise<Uint8Array>
  endSession: (session: string) => void
}

/** `work`: people want something of a device. `news`: it answered, or reported its state. */
export type DeviceNotice = 'work' | 'news'

const channel = 'maple_device'
/** Ids of 64 characters in one notice, which has at most 8,000 bytes. */
const idsAtOnce = 100

/** The devices of this process, which runs sessions under the same id; a gateway fills it. */
export function openDeviceHub(gatewayId: string = randomUUID(), notices?: Notices) {
  const changes = new EventEmitter().setMaxListeners(0)
  const workers = new Set<(deviceId: string) => void>()
  let stop: (() => void) | undefined

  const heard = (text: string) => {
    const [kind, ...ids] = text.split(' ')
    for (const id of ids) {
      if (kind === 'work') for (const work of workers) work(id)
      changes.emit(id)
    }
  }
  return {
    gatewayId,
    live: new Map<string, ConnectedDevice>(),
    /** The ids of those with elements. */
    offering: new Set<string>(),
    /** Emits the id of a device when something of it was stored, and `close`. */
    changes,
    /** Tells every process. A notice may be lost, so what it is about is stored and looked for. */
    async tell(kind: DeviceNotice, ids: readonly string[]): Promise<void> {
      for (let from = 0; from < ids.length; from += idsAtOnce)
        await notices?.send(channel, `${kind} ${ids.slice(from, from + idsAtOnce).join(' ')}`)
    },
    /** Hears what other processes tell, from now on. */
    listen(onWork?: (deviceId: string) => void) {
      if (onWork) workers.add(onWork)
      stop ??= notices?.on(channel, heard)
    },
    close() {
      stop?.()
      stop = undefined
      changes.emit('close')
    },
  }
}

export type DeviceHub = ReturnType<typeof openDeviceHub>

export const deviceLost = (code: ReaderLost['code']): ReaderLost => new ReaderLost(code)
