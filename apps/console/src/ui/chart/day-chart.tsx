import { useLingui } from '@lingui/react/macro'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import styles from './day-chart.module.css'
import { momentText } from '../i18n/moment-text.ts'

export interface ChartSeries {
  label: string
  /** One value per day; null if unknown. */
  values: readonly (number | null)[]
  /** A colour token; by default the page's hue. */
  tone?: 'hue' | 'accent' | 'warning' | 'danger' | 'muted' | 'line-strong'
}

interface DayChartProps {
  /** Labels the chart and its table. */
  label: string
  /** UTC days such as `2026-11-22`, in order and without gaps. */
  days: readonly string[]
  series: readonly ChartSeries[]
  /** A level rather than a count, so days have no total: the legend shows the latest value. */
  isStock?: boolean
  /** How a figure appears in the table, such as a link; by default as text. */
  renderValue?: (text: string, day: string) => ReactNode
}

/**
 * Daily counts as a chart, with the same figures in a table. The drawing code loads when the chart is
 * on the page.
 */
export function DayChart(props: DayChartProps) {
  const { label, days, series, isStock = false, renderValue = (text) => text } = props
  const { i18n, t } = useLingui()
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const { locale } = i18n

  useEffect(() => {
    const element = host.current
    if (!element) return
    let isGone = false
    let destroy = () => {}
    const draw = async () => {
      const { plotDays } = await import('./plot.ts')
      if (!isGone)
        destroy = plotDays(element, { days, series, locale, onPoint: setPointed }).destroy
    }
    // If its code fails to load, there is still the table.
    draw().catch(() => {})
    return () => {
      isGone = true
      destroy()
    }
  }, [days, series, locale])

  const day = (value: string | undefined) =>
    value === undefined ? '' : momentText(i18n, value, { dateStyle: 'medium', timeZone: 'UTC' })
  const number = (value: number | null | undefined) =>
    value === null ? '–' : i18n.number(value ?? 0)
  const sum = (values: ChartSeries['values']) =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0)
  const shown = pointed ?? (isStock ? days.length - 1 : null)

  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption id={id} className="visually-hidden">
        {label}
      </figcaption>
      <div className={styles.drawing}>
        {/* The table says the same. */}
        <div ref={host} className={styles.canvas} aria-hidden />
        <ul className={styles.legend} aria-hidden>
          <li className="muted">{shown === null ? t`Total` : day(days[shown])}</li>
          {series.map((each) => (
            <li key={each.label}>
              <i className={styles.mark} data-tone={each.tone ?? 'hue'} />
              {each.label} <b>{number(shown === null ? sum(each.values) : each.values[shown])}</b>
            </li>
          ))}
        </ul>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <section className={styles.table} tabIndex={0} aria-label={t`${label}: table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t`Day`}</th>
              {series.map((each) => (
                <th key={each.label} scope="col">
                  {each.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days
              .map((each, index) => (
                <tr key={each}>
                  <th scope="row">{day(each)}</th>
                  {series.map(({ label: name, values }) => (
                    <td key={name}>{renderValue(number(values[index]), each)}</td>
                  ))}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      </section>
    </figure>
  )
}
