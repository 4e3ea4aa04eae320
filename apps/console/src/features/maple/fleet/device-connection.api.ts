import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'

const liveMs = 3000

/** Whether a device is connected, what it offers and its last message. */
export const connectionOf = (deviceId: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/device/connection', { query: { deviceId } }),
    refetchInterval: liveMs,
  })
