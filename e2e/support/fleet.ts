import { randomInt, randomUUID } from 'node:crypto'
import { buildCplc } from '../../apps/platform/src/sample/fleet-cplc.ts'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { Account } from './account.ts'

/** Prefixes of the ids and names of a test's devices, so that tests can run in parallel. */
export const newPrefix = () => `e2e-${randomUUID().slice(0, 8)}`

/** The CPLC of an element that no other device has. */
export const newCplc = () =>
  buildCplc({
    serial: randomInt(2 ** 31, 2 ** 32),
    fabricated: new Date('2025-03-04T00:00:00Z'),
    batch: randomInt(2 ** 16),
    equipment: randomInt(2 ** 32),
  })

export const serialOf = (cplc: string) => cplc.slice(24, 32)

interface NewDevice {
  id?: string
  name: string
  type?: Device['type']
  state?: 'pending' | 'accepted' | 'quarantined'
  cplc?: string[]
  innerId?: string
}

export const createDevice = (account: Account, device: NewDevice) =>
  account.call<Device>('/api/maple/device', { method: 'POST', body: { type: 'iot', ...device } })

export const retireDevice = (account: Account, { id }: Device) =>
  account.call(`/api/maple/device?id=${id}`, { method: 'DELETE' })

export async function readDevice(account: Account, id: string): Promise<Device | undefined> {
  const { items } = await account.call<{ items: Device[] }>(`/api/maple/device?id=${id}`)
  return items[0]
}
