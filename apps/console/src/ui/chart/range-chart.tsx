import { useLingui } from '@lingui/react'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import type { RangeColumn } from './range-line.ts'
import styles from './range-chart.module.css'
import { momentText } from '../i18n/moment-text.ts'

interface RangeChartProps {
  /** Labels the chart. */
  label: string
  columns: readonly RangeColumn[]
  /** Milliseconds since 1970. */
  from: number
  to: number
  /** The number of columns in the range. */
  count: number
  /** Beside the name. */
  action?: ReactNode
  /** Replaces the line if nothing was measured. */
  empty: string
}

/** Measurements over a range of time. The drawing code loads when the chart is on the page. */
export function RangeChart({ label, columns, from, to, count, action, empty }: RangeChartProps) {
  const { i18n } = useLingui()
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const { locale } = i18n
  const width = (to - from) / count

  useEffect(() => {
    const element = host.current
    if (!element) return
    let isGone = false
    let destroy = () => {}
    const draw = async () => {
      const { plotRange } = await import('./range-plot.ts')
      if (isGone) return
      destroy = plotRange(element, {
        columns,
        from,
        to,
        width,
        locale,
        onPoint: setPointed,
      }).destroy
    }
    // If its code fails to load, there is still the table.
    draw().catch(() => {})
    return () => {
      isGone = true
      destroy()
    }
  }, [columns, from, to, width, locale])

  const shown = pointed === null ? columns.at(-1) : columnAt(columns, pointed)
  const number = (value: number) => i18n.number(value, { maximumSignificantDigits: 6 })
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption id={id} className={styles.head}>
        <strong>
          <bdi>{label}</bdi>
        </strong>
        {shown && (
          <span className="muted" aria-hidden>
            {momentText(i18n, shown.at, { dateStyle: 'short', timeStyle: 'medium' })}{' '}
            <b className={styles.value}>{number(shown.last)}</b>
            {shown.min !== shown.max && ` (${number(shown.min)} – ${number(shown.max)})`}
          </span>
        )}
        {action}
      </figcaption>
      {/* The table says the same. */}
      <div ref={host} className={styles.canvas} aria-hidden data-points={columns.length} />
      {columns.length === 0 && <p className="muted">{empty}</p>}
    </figure>
  )
}

/** The last one that does not begin later. */
const columnAt = (columns: readonly RangeColumn[], at: number) =>
  columns.findLast((column) => Date.parse(column.at) <= at) ?? columns[0]
