import { queryClient } from '../../../../api/query-client.ts'
import { devices } from '../../fleet/device/device.api.ts'

/** Titles the page; a device that cannot be loaded shows why on the page. */
export async function loadDevice(id: string) {
  const page = await queryClient.ensureQueryData(devices.one(id)).catch(() => undefined)
  const name = page?.items.find((device) => device.id === id)?.name
  return { title: name ?? id }
}
