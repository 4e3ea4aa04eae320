import { useLingui } from '@lingui/react/macro'
import styles from './kit-page.module.css'
import { DayChart } from '../../../ui/chart/day-chart.tsx'
import { KitSection, Piece } from './sample.tsx'

const firstDay = Date.UTC(2026, 0, 1)
const days = Array.from({ length: 30 }, (_, index) =>
  new Date(firstDay + index * 86_400_000).toISOString().slice(0, 10),
)
const wave = (height: number, shift: number) =>
  days.map((_, index) => Math.round(height * (1 + Math.sin((index + shift) / 3))))
const opens = wave(20, 0)
const sent = wave(60, 2)
const failed = wave(8, 5)

export function ChartSection() {
  const { t } = useLingui()
  return (
    <KitSection title={t`Charts`}>
      <Piece name="DayChart">
        <div className={styles.wide}>
          <DayChart
            label={t`Opens per day`}
            days={days}
            series={[{ label: t`Opens`, values: opens }]}
          />
        </div>
      </Piece>
      <Piece name="DayChart, several series">
        <div className={styles.wide}>
          <DayChart
            label={t`Notifications per day`}
            days={days}
            series={[
              { label: t`Sent`, values: sent },
              { label: t`Failed`, values: failed, tone: 'danger' },
            ]}
          />
        </div>
      </Piece>
    </KitSection>
  )
}
