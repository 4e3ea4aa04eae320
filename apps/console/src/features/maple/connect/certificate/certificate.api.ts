import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'

export const authorityPath = '/api/maple/device/certificate_authority'
export const certificatePath = '/api/maple/device/certificate'

/** Devices connect, and are refused, while a page is open. */
export const liveMs = 5000

export const refreshAuthorities = () =>
  Promise.all([invalidate('maple', authorityPath), invalidate('maple', certificatePath)])

export const revokeSerial = (id: string, serial: string) =>
  api.maple.post(`${authorityPath}/{id}/revoked`, { params: { id }, body: { serial } })
