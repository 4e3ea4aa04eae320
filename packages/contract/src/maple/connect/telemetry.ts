import { Type } from 'typebox'
import { defineCalls } from '../../call.ts'
import { Nullable, Strict, Timestamp } from '../../shapes.ts'
import { deviceIdPattern } from '../fleet/device.rules.ts'
import { maxKeyLength, maxChartDays, maxChartKeys, maxColumns, maxKeys } from './telemetry.rules.ts'

const DeviceId = Type.String({ pattern: deviceIdPattern })
const Moment = Type.String({ format: 'date-time', examples: ['2026-03-01T00:00:00Z'] })
const Key = Type.String({ minLength: 1, maxLength: maxKeyLength, examples: ['temperature'] })

const TelemetryKey = Type.Object({
  key: Type.String(),
  /** The newest value of the range. */
  value: Type.Number(),
  at: Timestamp,
})
export type TelemetryKey = Type.Static<typeof TelemetryKey>

const Column = Type.Object({
  /** The beginning of the column. */
  at: Timestamp,
  min: Type.Number(),
  max: Type.Number(),
  first: Type.Number(),
  last: Type.Number(),
  count: Type.Integer(),
})
export type TelemetryColumn = Type.Static<typeof Column>

const access = { right: 'device.read', isScoped: true } as const
const range = { deviceId: DeviceId, from: Moment, to: Moment }

export const telemetryCalls = defineCalls('maple', access, {
  'GET /api/maple/device/telemetry/key': {
    summary: 'List what a device measured in a range of time',
    description: `The first ${maxKeys} keys by name, each with its newest value.`,
    query: Strict(range),
    response: Type.Object({ items: Type.Array(TelemetryKey) }),
    problems: ['not_found', 'telemetry_unavailable'],
  },
  'GET /api/maple/device/telemetry': {
    summary: 'Read what a device measured, as columns of a chart',
    description: `Least, greatest, first and last value of each column that has any, so that no spike is lost. Beyond three days, no column is narrower than an hour. At most ${maxChartDays} days.`,
    query: Strict({
      ...range,
      key: Key,
      columns: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxColumns, default: 600, examples: [600] }),
      ),
    }),
    response: Type.Object({
      items: Type.Array(Column),
      /**
       * Points whose time is in the future or before the retention period: they are placed at their
       * arrival.
       */
      clamped: Type.Integer(),
      /** Of the newest point. */
      newestAt: Nullable(Timestamp),
    }),
    problems: ['not_found', 'telemetry_unavailable'],
  },
  'GET /api/maple/device/telemetry/export': {
    summary: 'Export what a device measured as CSV',
    description: `Every point, in the order of keys and time. \`key\` is up to ${maxChartKeys} keys, one a line; without it, all.`,
    query: Strict({
      ...range,
      key: Type.Optional(Type.String({ maxLength: (maxKeyLength + 1) * maxChartKeys })),
    }),
    response: Type.Any(),
    produces: 'text/csv',
    problems: ['not_found', 'telemetry_unavailable'],
  },
})
