import { Counter, type Registry } from 'prom-client'
import { readGauge } from '../../../../core/http/read-gauge.ts'
import type { Gateway } from './gateway.ts'

/** Metrics of this process's gateway. */
export function measureDevices(
  register: Registry,
  { count, stored, unstored }: Pick<Gateway, 'count' | 'stored' | 'unstored'>,
): void {
  readGauge(
    register,
    'grove_devices_connected',
    'Devices that are connected to this process.',
    count,
  )
  readGauge(
    register,
    'grove_device_messages_waiting',
    'Messages of devices that are not stored yet.',
    unstored,
  )
  const messages = new Counter({
    name: 'grove_device_messages_total',
    help: 'Messages of devices that this process has stored.',
    registers: [register],
    collect() {
      messages.reset()
      messages.inc(stored())
    },
  })
}
