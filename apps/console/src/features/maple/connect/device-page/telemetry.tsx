import { maxChartKeys } from '@grove/contract/maple/connect/telemetry.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { RangeChart } from '../../../../ui/chart/range-chart.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { useSave } from '../../../../ui/file/use-save.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { FilterMenu } from '../../../../ui/table/filter-menu.tsx'
import { chartOf, keysOf, telemetryFile, type RangeName } from './telemetry.api.ts'
import styles from './telemetry.module.css'

/** The number of keys selected by default. */
const firstKeys = 4
/** About one for every two pixels of a wide screen. */
const chartColumns = 600
const tableColumns = 24

/** A device's measurements over time. */
export function DeviceTelemetry({ deviceId }: { deviceId: string }) {
  const { t } = useLingui()
  const save = useSave()
  const [range, setRange] = useState<RangeName>('hour')
  const [chosen, setChosen] = useState<readonly string[]>()
  const { data, error, refetch } = useQuery(keysOf(deviceId, range))
  if (error && !data) return <PartFailure error={error} refetch={refetch} />
  const known = data?.items.map(({ key }) => key) ?? []
  const keys = (chosen ?? known.slice(0, firstKeys)).slice(0, maxChartKeys)
  const download = () => save(() => telemetryFile(deviceId, keys, range), 'telemetry.csv')
  return (
    <div className={styles.telemetry}>
      <div className={styles.tools}>
        <SelectField<RangeName>
          label={t`Time range`}
          value={range}
          words={{
            hour: t`The last hour`,
            day: t`The last 24 hours`,
            week: t`The last 7 days`,
            month: t`The last 30 days`,
            quarter: t`The last 90 days`,
          }}
          onChange={setRange}
        />
        {known.length > 1 && (
          <FilterMenu
            label={t`Values`}
            options={known.map((key) => ({ value: key, label: key }))}
            selected={[...keys]}
            onChange={(values) => setChosen(values.length === 0 ? undefined : values)}
          />
        )}
        <button
          type="button"
          className="button"
          aria-disabled={keys.length === 0}
          onClick={() => keys.length > 0 && void download()}
        >
          <Download size={16} aria-hidden />
          <Trans>Export CSV</Trans>
        </button>
      </div>
      {!data && <Pending />}
      {data && keys.length === 0 && (
        <p className="muted">
          <Trans>No measurements in this period.</Trans>
        </p>
      )}
      <div className={styles.charts}>
        {keys.map((key) => (
          <Measured key={key} deviceId={deviceId} name={key} range={range} />
        ))}
      </div>
    </div>
  )
}

interface MeasuredProps {
  deviceId: string
  name: string
  range: RangeName
}

function Measured({ deviceId, name, range }: MeasuredProps) {
  const { t } = useLingui()
  const [hasTable, setTable] = useState(false)
  const { data, error, refetch } = useQuery(chartOf(deviceId, name, range, chartColumns))
  if (error && !data) return <PartFailure error={error} refetch={refetch} />
  if (!data) return <Pending />
  const { items, from, to, clamped } = data
  return (
    <div>
      <RangeChart
        label={name}
        columns={items}
        from={from}
        to={to}
        count={chartColumns}
        empty={t`No measurements in this period.`}
        action={
          <button
            type="button"
            className="button small"
            aria-expanded={hasTable}
            aria-label={t`Table of ${name}`}
            onClick={() => setTable(!hasTable)}
          >
            <Trans>Table</Trans>
          </button>
        }
      />
      {clamped > 0 && (
        <p className="muted">
          <Plural
            value={clamped}
            one="The device’s clock was wrong for # value: it is shown by its time of arrival."
            other="The device’s clock was wrong for # values: they are shown by their time of arrival."
          />
        </p>
      )}
      {hasTable && <MeasuredTable deviceId={deviceId} name={name} range={range} />}
    </div>
  )
}

/** The same data as numbers, in fewer and wider buckets. */
function MeasuredTable({ deviceId, name, range }: MeasuredProps) {
  const { i18n, t } = useLingui()
  const { data } = useQuery(chartOf(deviceId, name, range, tableColumns))
  const number = (value: number) => i18n.number(value, { maximumSignificantDigits: 8 })
  if (!data) return <Pending />
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <section className={styles.table} tabIndex={0} aria-label={t`Table of ${name}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t({ message: 'From', context: 'a time' })}</th>
            <th scope="col">{t`Minimum`}</th>
            <th scope="col">{t`Maximum`}</th>
            <th scope="col">{t({ message: 'Last', context: 'a measured value' })}</th>
            <th scope="col">{t({ message: 'Values', context: 'how many' })}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.toReversed().map(({ at, min, max, last, count }) => (
            <tr key={at}>
              <th scope="row">
                <DateText value={at} />
              </th>
              <td>{number(min)}</td>
              <td>{number(max)}</td>
              <td>{number(last)}</td>
              <td>{i18n.number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
