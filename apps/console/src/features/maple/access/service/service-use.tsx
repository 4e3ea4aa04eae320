import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import { DayChart } from '../../../../ui/chart/day-chart.tsx'
import { activityQuery } from './service.api.ts'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import styles from './service.module.css'

/** Devices registered and events of a service provider, day by day. */
export function ServiceUse({ id }: { id: string }) {
  const { t } = useLingui()
  const heading = useId()
  const { data, error, refetch } = useQuery(activityQuery(id))
  const shown = useMemo(
    () =>
      data && {
        days: data.items.map(({ day }) => day),
        series: [
          { label: t`Devices registered`, values: data.items.map(({ devices }) => devices) },
          { label: t`Events`, values: data.items.map(({ events }) => events), tone: 'accent' },
        ] as const,
      },
    [data, t],
  )
  return (
    <section aria-labelledby={heading} className={styles.section}>
      <h3 id={heading}>
        <Trans>Usage over the last 30 days</Trans>
      </h3>
      {shown && <DayChart label={t`Usage per day`} days={shown.days} series={shown.series} />}
      {error && !data && <PartFailure error={error} refetch={refetch} />}
    </section>
  )
}
