import type { ImportFormat } from '@grove/contract/maple/fleet/device-import.rules'
import { api } from '../../../../session/api.ts'
import { useDownload } from '../../base/use-download.ts'
import type { DeviceFilter } from './device.search.ts'

/** Saves the devices that match a filter as a file. */
export function useExport(filter: DeviceFilter) {
  const download = useDownload()
  return (format: ImportFormat) =>
    download(() => api.maple.post('/api/maple/device/export', { body: { ...filter, format } }))
}
