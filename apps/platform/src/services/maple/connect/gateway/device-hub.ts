import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Notices } from '../../../../core/database/notices.ts'
import { ReaderLost } from '../../card/reader/reader-hub.ts'
import { nextChange } from '../../card/session/next-change.ts'

/** A device that is connected to this process. */
export interface ConnectedDevice {
  serviceId: string | null
  isOffering: () => boolean
  /** The element is among those that it offers, and people have accepted the device. */
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

/**
 * `work`: people want something of a device. `news`: it answered, or reported its state. `moved`: it
 * connected to another process than before.
 */
export type DeviceNotice = 'work' | 'news' | 'moved'

interface Listeners {
  onWork: (deviceId: string) => void
  onMoved: (deviceIds: readonly string[]) => void
}

const channel = 'maple_device'
/** 64-character ids per notice, which has at most 8,000 bytes. */
const idsAtOnce = 100

/** The devices of this process, which runs sessions under the same id; a gateway fills it. */
export function openDeviceHub(gatewayId: string = randomUUID(), notices?: Notices) {
  const changes = new EventEmitter().setMaxListeners(0)
  // A device may be called `error`, at which an emitter throws.
  const eventOf = (deviceId: string) => `device ${deviceId}`
  const changed = (deviceId: string) => void changes.emit(eventOf(deviceId))
  const all = new Set<Listeners>()
  let stop: (() => void) | undefined

  const heard = (text: string) => {
    const [kind, ...ids] = text.split(' ')
    for (const { onWork, onMoved } of all) {
      if (kind === 'moved') onMoved(ids)
      else if (kind === 'work') for (const id of ids) onWork(id)
    }
    for (const id of ids) changed(id)
  }
  return {
    gatewayId,
    live: new Map<string, ConnectedDevice>(),
    /** The ids of those with elements. */
    offering: new Set<string>(),
    /** Something of a device was stored. */
    changed,
    /** The next time that something of a device is stored. */
    nextChange: (deviceId: string, signal: AbortSignal) =>
      nextChange(changes, eventOf(deviceId), signal),
    /** Notifies every process. A notice may be lost, so its subject is stored and polled for. */
    async tell(kind: DeviceNotice, ids: readonly string[]): Promise<void> {
      for (let from = 0; from < ids.length; from += idsAtOnce)
        await notices?.send(channel, `${kind} ${ids.slice(from, from + idsAtOnce).join(' ')}`)
    },
    /** Starts listening to notices of other processes. */
    listen(listeners?: Listeners) {
      if (listeners) all.add(listeners)
      stop ??= notices?.on(channel, heard)
    },
    /** Whether notices of other processes arrive. */
    isLive: () => notices?.isLive() === true,
    close() {
      stop?.()
      stop = undefined
    },
  }
}

export type DeviceHub = ReturnType<typeof openDeviceHub>

export const deviceLost = (code: ReaderLost['code']): ReaderLost => new ReaderLost(code)
