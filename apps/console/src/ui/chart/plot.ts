import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ChartSeries } from './day-chart.tsx'
import { coloursOf, followScheme, type Plot } from './plot-parts.ts'

interface PlotOptions {
  days: readonly string[]
  series: readonly ChartSeries[]
  locale: string
  /** Called with the index of the day under the pointer, and with null when it leaves. */
  onPoint: (index: number | null) => void
}

const height = 220
/** Dash patterns, so that lines differ by more than colour. */
const dashes = [[], [6, 4], [2, 3], [10, 4, 2, 4], [12, 3], [2, 6]]

/**
 * Draws the series at the full width of the element: one series as bars, several as lines. Redraws
 * when the width or the colour scheme changes.
 */
export function plotDays(host: HTMLElement, options: PlotOptions): Plot {
  return followScheme(host, height, () => draw(host, options))
}

function draw(host: HTMLElement, { days, series, locale, onPoint }: PlotOptions): UPlot {
  const colour = coloursOf(host)
  const isBars = series.length === 1
  const short = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const count = new Intl.NumberFormat(locale, { notation: 'compact' })
  const axis: UPlot.Axis = {
    stroke: colour('--muted'),
    font: `12px ${getComputedStyle(host).fontFamily}`,
    ticks: { show: false },
    grid: { stroke: colour('--line'), width: 1 },
  }
  return new UPlot(
    {
      width: host.clientWidth,
      height,
      legend: { show: false },
      // A day's values are shown below the chart; nothing is selected or zoomed.
      cursor: { drag: { x: false, y: false }, y: false },
      scales: {
        // Half a day more at either end, so that the first and last bars are drawn in full.
        x: {
          time: false,
          range: () => (isBars ? [-0.5, days.length - 0.5] : [0, Math.max(days.length - 1, 1)]),
        },
        y: { range: (_, __, most) => [0, Math.max(most, 4)] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          grid: { show: false },
          splits: (chart) => daysToName(days.length, chart.width),
          values: (_, splits) => splits.map((index) => short.format(new Date(days[index] ?? 0))),
        },
        {
          ...axis,
          size: 44,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6, 1e7, 1e8],
          values: (_, splits) => splits.map((value) => count.format(value)),
        },
      ],
      series: [
        {},
        ...series.map(({ label, tone = 'hue' }, index): UPlot.Series => {
          const own = colour(`--${tone}`)
          return {
            label,
            stroke: own,
            width: isBars ? 0 : 2,
            dash: dashes[index % dashes.length] ?? [],
            points: { show: !isBars && days.length <= 31, size: 5 },
            ...(isBars && { fill: own, paths: barPaths() }),
          }
        }),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [days.map((_, index) => index), ...series.map(({ values }) => [...values])],
    host,
  )
}

const barPaths = () => {
  const paths = UPlot.paths.bars?.({ size: [0.7, 40] })
  if (!paths) throw new Error('uPlot draws no bars.')
  return paths
}

/** As many days as there is room for labels, counted from the last. */
function daysToName(days: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(days / Math.max(1, Math.floor(width / 80))))
  return Array.from({ length: days }, (_, index) => index).filter(
    (index) => (days - 1 - index) % step === 0,
  )
}
