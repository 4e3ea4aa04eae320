import { randomUUID } from 'node:crypto'
import { ProblemError } from '../../../../core/http/problem.ts'
import { deviceLost, type DeviceHub } from './device-hub.ts'
import { findDeviceOf } from './gateway.queries.ts'
import { provenCard } from '../../card/session/transport/proven-card.ts'
import type { TransportSource } from '../../card/session/transport/transport.ts'

/** An element of a device that is connected and offers it. */
export const deviceTransport = (devices: DeviceHub): TransportSource => ({
  async reach({ db }, cplc) {
    const found = await findDeviceOf(db, cplc)
    if (!found) return undefined
    const { deviceId, gatewayId, runsSessions } = found
    if (gatewayId !== null && gatewayId !== devices.gatewayId) {
      if (runsSessions) return { kind: 'device', processId: gatewayId }
      throw new ProblemError(
        'transport_missing',
        'The device with this element is connected to a gateway that runs apart from Maple. Sessions do not reach elements there.',
      )
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
