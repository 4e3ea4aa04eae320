import { useLingui } from '@lingui/react/macro'
import { useQuery, keepPreviousData } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { defaultPeriod, maxPeriod } from '@grove/contract/cedar/link.rules'
import { DayChart } from '../../../ui/chart/day-chart.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { opensQuery } from './link.api.ts'

/** How often the links of an app were opened, day by day. */
export function OpensSection({ productId }: { productId: string }) {
  const { t } = useLingui()
  const [days, setDays] = useState<number>(defaultPeriod)
  const loading = useQuery({
    ...opensQuery(productId, days),
    placeholderData: keepPreviousData,
  })
  const { data } = loading
  const label = t`Opens per day`
  const series = useMemo(
    () =>
      data ? [{ label: t({ message: 'Opens', context: 'of links' }), values: data.opens }] : [],
    [data, t],
  )
  return (
    <Section
      title={label}
      loading={loading}
      description={t`Opens of all links of this app, on the web and in host apps. Days are in UTC; the last seconds are still being counted.`}
      action={
        <select
          className="select"
          aria-label={t`Period`}
          value={days}
          onChange={({ target }) => setDays(Number(target.value))}
        >
          {[defaultPeriod, maxPeriod].map((period) => (
            <option key={period} value={period}>
              {t`Last ${period} days`}
            </option>
          ))}
        </select>
      }
    >
      {data && <DayChart label={label} days={data.days} series={series} />}
    </Section>
  )
}
