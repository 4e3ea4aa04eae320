import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'

const liveMs = 3000

/** Whether a device is there now, what it offers and what it last said. */
export const connectionOf = (deviceId: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/device/connection', { query: { deviceId } }),
    refetchInterval: liveMs,
  })
