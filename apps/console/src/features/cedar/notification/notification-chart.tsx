import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { isCallLacking } from '../../../api/problem.ts'
import { api } from '../../../session/api.ts'
import { DayChart } from '../../../ui/chart/day-chart.tsx'
import { PartFailure } from '../../../ui/failure/part-failure.tsx'
import { momentsOf, presetRange, type DayRange } from '../../../ui/kit/day-range.ts'
import { dayNames } from './day-names.ts'

interface NotificationChartProps {
  filters: { productId?: string; providerId?: string }
  zone: string
  /** The last 30 days by default. */
  days: DayRange | null
}

const maxRange = 366

/** What was sent, delivered, opened and failed on each day. */
export function NotificationChart({ filters, zone, days }: NotificationChartProps) {
  const { t } = useLingui()
  const { productId, providerId } = filters
  const [lately] = useState(() => presetRange('month', new Date()))
  const range = days ?? lately
  const names = dayNames(range)
  const isTooLong = names.length > maxRange
  const moments = momentsOf(range)
  const { data, error, refetch } = useQuery({
    ...api.cedar.query('/api/notification/statistics', {
      query: {
        ...(productId !== undefined && { productId }),
        ...(providerId !== undefined && { providerId }),
        fromDate: moments.from,
        toDate: moments.before,
        zone,
      },
    }),
    placeholderData: keepPreviousData,
    enabled: !isTooLong,
  })
  const key = names.join()
  const shown = useMemo(() => {
    const byDay = new Map(data?.days.map((each) => [each.day, each]))
    const days = key.split(',')
    const valuesOf = (name: 'sent' | 'delivered' | 'opened' | 'failed') =>
      days.map((day) => byDay.get(day)?.[name] ?? 0)
    return {
      days,
      series: [
        { label: t({ message: 'Sent', context: 'messages' }), values: valuesOf('sent') },
        {
          label: t({ message: 'Delivered', context: 'messages' }),
          values: valuesOf('delivered'),
          tone: 'accent' as const,
        },
        {
          label: t({ message: 'Opened', context: 'messages' }),
          values: valuesOf('opened'),
          tone: 'warning' as const,
        },
        {
          label: t({ message: 'Failed', context: 'messages' }),
          values: valuesOf('failed'),
          tone: 'danger' as const,
        },
      ],
    }
  }, [data, key, t])
  if (isTooLong) return <p className="muted">{t`A chart covers a year at most.`}</p>
  if (isCallLacking(error)) return null
  if (error && !data) return <PartFailure error={error} refetch={refetch} />
  return <DayChart label={t`Messages per day`} days={shown.days} series={shown.series} />
}
