import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'

const path = '/api/maple/device/telemetry'
const minuteMs = 60_000

/** How far back a chart goes, and how often it is refetched. */
export const ranges = {
  hour: { lengthMs: 60 * minuteMs, refetchMs: 5000 },
  day: { lengthMs: 24 * 60 * minuteMs, refetchMs: 30_000 },
  week: { lengthMs: 7 * 24 * 60 * minuteMs, refetchMs: 120_000 },
  month: { lengthMs: 30 * 24 * 60 * minuteMs, refetchMs: 300_000 },
  quarter: { lengthMs: 90 * 24 * 60 * minuteMs, refetchMs: 300_000 },
} as const
export type RangeName = keyof typeof ranges

/** Rounded up to the next whole step of the range, so that charts side by side align. */
export function momentsOf(range: RangeName, now = Date.now()) {
  const { lengthMs, refetchMs } = ranges[range]
  const to = Math.ceil(now / refetchMs) * refetchMs
  return { from: to - lengthMs, to }
}

const textsOf = ({ from, to }: { from: number; to: number }) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
})

export const keysOf = (deviceId: string, range: RangeName) =>
  queryOptions({
    queryKey: ['maple', `${path}/key`, deviceId, range],
    queryFn: ({ signal }) =>
      api.maple.get(`${path}/key`, {
        query: { deviceId, ...textsOf(momentsOf(range)) },
        signal,
      }),
    refetchInterval: ranges[range].refetchMs,
  })

export const chartOf = (deviceId: string, key: string, range: RangeName, columns: number) =>
  queryOptions({
    queryKey: ['maple', path, deviceId, key, range, columns],
    queryFn: async ({ signal }) => {
      const moments = momentsOf(range)
      const chart = await api.maple.get(path, {
        query: { deviceId, key, columns, ...textsOf(moments) },
        signal,
      })
      return { ...chart, ...moments }
    },
    refetchInterval: ranges[range].refetchMs,
    placeholderData: (before) => before,
  })

export const telemetryFile = (deviceId: string, keys: readonly string[], range: RangeName) =>
  api.maple.download(`${path}/export`, {
    query: { deviceId, key: keys.join('\n'), ...textsOf(momentsOf(range)) },
  })
