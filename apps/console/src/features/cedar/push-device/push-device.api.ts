import type { PushDevice } from '@grove/contract/cedar/push-device'
import { api } from '../../../session/api.ts'
import { historyQuery } from '../../../ui/history/history.tsx'

const path = '/api/notification/device'

export const devicePages = (productId: string, isTest: boolean | undefined) => {
  const query = { productId, ...(isTest !== undefined && { isTest }) }
  return historyQuery(['cedar', path, { query }], (cursor, signal) =>
    api.cedar.get(path, { query: { ...query, limit: 25, ...cursor }, signal }),
  )
}

export const markDevice = ({ id }: PushDevice, body: { isTest: boolean; name?: string | null }) =>
  api.cedar.put(`${path}/{id}`, { params: { id }, body })

export const refreshDevices = () => api.cedar.invalidate(path)
