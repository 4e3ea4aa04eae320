import type { MapleAbout } from '@grove/contract/maple/about'
import { growthDays } from '@grove/contract/maple/about.rules'
import { useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { DayChart } from '../../../ui/chart/day-chart.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'

/** The number of devices registered on each of the last days. */
export function Growth({ registered }: { registered: MapleAbout['devices']['registered'] }) {
  const { t } = useLingui()
  const key = JSON.stringify(registered)
  const { days, series } = useMemo(() => {
    const each = JSON.parse(key) as typeof registered
    return {
      days: each.map(({ day }) => day),
      series: [{ label: t`Devices`, values: each.map(({ count }) => count) }],
    }
  }, [key, t])
  const label = t`Devices registered per day`
  return (
    <Section title={label} description={t`The last ${growthDays} days (UTC).`}>
      <DayChart
        label={label}
        days={days}
        series={series}
        renderValue={(text, day) => (
          <Link
            to="/dashboard/maple/devices"
            search={{ createdOn: [day], sort: 'createdAt', order: 'desc' }}
            prefetch="none"
          >
            {text}
          </Link>
        )}
      />
    </Section>
  )
}
