import type { DeviceCommand } from '@grove/contract/maple/connect/device-command'
import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { queryOptions } from '@tanstack/react-query'
import { invalidate, queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'

export const twinPath = '/api/maple/device/twin'
export const commandPath = '/api/maple/device/command'

export const twinOf = (deviceId: string) => api.maple.query(twinPath, { query: { deviceId } })

export const commandsOf = (deviceId: string, limit: number) =>
  queryOptions(api.maple.query(commandPath, { query: { deviceId, limit } }))

/** Caches the service's latest answer about a device. */
export const storeTwin = (twin: DeviceTwin) =>
  queryClient.setQueryData(twinOf(twin.deviceId).queryKey, twin)

export const refreshCommands = () => invalidate('maple', commandPath)

/** Sends a command; repeating it with the same ID sends it only once. */
export const sendCommand = (body: {
  id: string
  deviceId: string
  name: string
  data?: unknown
  hours: number
}): Promise<DeviceCommand> => api.maple.post(commandPath, { body })
