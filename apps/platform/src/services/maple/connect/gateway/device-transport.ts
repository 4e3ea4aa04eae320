import { randomUUID } from 'node:crypto'
import { deviceLost, type DeviceHub } from './device-hub.ts'
import { findDeviceOf } from './gateway.queries.ts'
import type { ElementRelay } from '../../card/relay/element-relay.ts'
import { provenCard } from '../../card/session/transport/proven-card.ts'
import type { TransportSource } from '../../card/session/transport/transport.ts'

/** An element of a device that is connected and offers it. */
export const deviceTransport = (devices: DeviceHub, relay: ElementRelay): TransportSource => ({
  async reach({ db }, cplc) {
    const found = await findDeviceOf(db, cplc)
    if (!found) return undefined
    const { deviceId, gatewayId, runsSessions } = found
    if (gatewayId !== null && gatewayId !== devices.gatewayId) {
      const at = { processId: gatewayId, kind: 'device', at: deviceId } as const
      const relayed = () => relay.wayTo(at, cplc)
      return runsSessions ? { kind: 'device', processId: gatewayId, relayed } : relayed()
    }
    if (!devices.live.get(deviceId)?.offers(cplc)) return undefined
    const session = randomUUID()
    const way = {
      async send(command: Uint8Array, isFirst: boolean) {
        const device = devices.live.get(deviceId)
        if (!device) throw deviceLost('absent')
        return device.exchange({ session, isFirst, cplc, command })
      },
      end: () => devices.live.get(deviceId)?.endSession(session),
    }
    return { ...provenCard(cplc, way), kind: 'device' }
  },
  hasElements: () => devices.offering.size > 0,
})
