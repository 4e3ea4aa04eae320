import { Counter, Gauge, type Registry } from 'prom-client'
import type { Gateway } from './gateway.ts'

/** What the gateway of this process has to do. */
export function measureDevices(
  register: Registry,
  { count, stored, unstored }: Pick<Gateway, 'count' | 'stored' | 'unstored'>,
): void {
  const registers = [register]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('grove_devices_connected', 'Devices that are connected to this process.', count)
  gauge('grove_device_messages_waiting', 'Messages of devices that are not stored yet.', unstored)
  const messages = new Counter({
    name: 'grove_device_messages_total',
    help: 'Messages of devices that this process has stored.',
    registers,
    collect() {
      messages.reset()
      messages.inc(stored())
    },
  })
}
