import type { DeviceDays as Counted } from '@grove/contract/maple/fleet/device-day'
import { defaultDeviceDays, maxDeviceDays } from '@grove/contract/maple/fleet/device-day.rules'
import type { DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../../session/api.ts'
import { DayChart, type ChartSeries } from '../../../ui/chart/day-chart.tsx'
import { PartFailure } from '../../../ui/failure/part-failure.tsx'
import { useDeviceWords } from './device-words.ts'
import styles from './device-days.module.css'
import { momentText } from '../../../ui/i18n/moment-text.ts'

const tones: Record<DeviceState, ChartSeries['tone']> = {
  online: 'accent',
  offline: 'muted',
  accepted: 'hue',
  pending: 'warning',
  quarantined: 'danger',
  retired: 'line-strong',
}

const periods = [30, defaultDeviceDays, maxDeviceDays]

/** The number of devices in each state, day by day since counting began. */
export function DeviceDays() {
  const { t, i18n } = useLingui()
  const { state: words } = useDeviceWords()
  const [asked, setAsked] = useState<number>(defaultDeviceDays)
  const { data, error, refetch } = useQuery({
    ...api.maple.query('/api/maple/device/state', { query: { days: asked } }),
    placeholderData: keepPreviousData,
  })
  // Equal answers draw the chart only once.
  const key = JSON.stringify([data?.states, words])
  const series = useMemo((): ChartSeries[] => {
    const [states, names] = JSON.parse(key) as [
      Counted['states'] | undefined,
      Record<DeviceState, string>,
    ]
    return (states ?? [])
      .filter(({ counts }) => counts.some((count) => count !== null && count > 0))
      .map(({ state, counts }) => ({ label: names[state], values: counts, tone: tones[state] }))
  }, [key])
  if (!data) return error ? <PartFailure error={error} refetch={refetch} /> : <Waiting />
  const { days } = data
  const first = days[0] ?? ''
  const since = momentText(i18n, first, { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <div className={styles.part}>
      <div className={styles.head}>
        <p className="muted">
          {days.length === asked
            ? t`Each day shows its last count (UTC); today shows the current one.`
            : t`Counted since ${since}. Each day shows its last count (UTC); today shows the current one.`}
        </p>
        <select
          className="select"
          aria-label={t`Period`}
          value={asked}
          onChange={({ target }) => setAsked(Number(target.value))}
        >
          {periods.map((period) => (
            <option key={period} value={period}>
              {t`Last ${period} days`}
            </option>
          ))}
        </select>
      </div>
      {series.length === 0 ? (
        <p>{t`There was no device on these days.`}</p>
      ) : (
        <DayChart label={t`Devices by state and day`} days={days} series={series} isStock />
      )}
    </div>
  )
}

const Waiting = () => <div className={`skeleton ${styles.waiting}`} />
