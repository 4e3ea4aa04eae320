import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { coloursOf, followScheme, type Plot } from './plot-parts.ts'
import { lineOf, type RangeColumn } from './range-line.ts'

interface RangePlotOptions {
  columns: readonly RangeColumn[]
  /** Milliseconds since 1970. */
  from: number
  to: number
  /** The width of a column, in milliseconds. */
  width: number
  locale: string
  /** Called with the time under the pointer, and with null when it leaves. */
  onPoint: (at: number | null) => void
}

const height = 180

/** Draws measurements over a range of time, with every spike, at the full width of the element. */
export function plotRange(host: HTMLElement, options: RangePlotOptions): Plot {
  return followScheme(host, height, () => draw(host, options))
}

function draw(host: HTMLElement, { columns, from, to, width, locale, onPoint }: RangePlotOptions) {
  const colour = coloursOf(host)
  const isLong = to - from > 36 * 3_600_000
  const time = new Intl.DateTimeFormat(
    locale,
    isLong ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  )
  const number = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })
  const axis: UPlot.Axis = {
    stroke: colour('--muted'),
    font: `12px ${getComputedStyle(host).fontFamily}`,
    ticks: { show: false },
    grid: { stroke: colour('--line'), width: 1 },
  }
  const { times, values } = lineOf(columns, width)
  return new UPlot(
    {
      width: host.clientWidth,
      height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: { x: { time: true, range: () => [from / 1000, to / 1000] } },
      axes: [
        {
          ...axis,
          size: 28,
          space: 80,
          grid: { show: false },
          values: (_, splits) => splits.map((seconds) => time.format(seconds * 1000)),
        },
        { ...axis, size: 56, values: (_, splits) => splits.map((value) => number.format(value)) },
      ],
      series: [
        {},
        {
          stroke: colour('--hue'),
          width: 1.5,
          spanGaps: false,
          points: { show: columns.length <= 60, size: 4 },
        },
      ],
      hooks: {
        setCursor: [
          ({ cursor, data: [shown] }) => {
            const seconds = shown[cursor.idx ?? -1]
            onPoint(seconds === undefined ? null : seconds * 1000)
          },
        ],
      },
    },
    [times, values],
    host,
  )
}
