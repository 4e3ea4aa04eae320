import { Type } from 'typebox'
import { defineCalls } from '../../call.ts'
import { Nullable, Strict } from '../../shapes.ts'
import { defaultDeviceDays, maxDeviceDays } from './device-day.rules.ts'
import { deviceStates } from './device.rules.ts'

const States = Type.Object({
  days: Type.Array(Type.String({ examples: ['2026-11-22'] }), {
    description: 'Days of UTC in order and without gaps, from the first that was counted to today',
  }),
  states: Type.Array(
    Type.Object({
      state: Type.Enum(deviceStates),
      /** One per day; null for a day without a count. */
      counts: Type.Array(Nullable(Type.Integer({ minimum: 0 }))),
    }),
  ),
})
export type DeviceDays = Type.Static<typeof States>

export const deviceDayCalls = defineCalls(
  'maple',
  { right: 'device.read', isScoped: true },
  {
    'GET /api/maple/device/state': {
      summary: 'Count devices by state and day',
      description:
        'Each day as it was when it was last counted, which happens every hour; today as it is now.',
      query: Strict({
        days: Type.Optional(
          Type.Integer({ minimum: 1, maximum: maxDeviceDays, default: defaultDeviceDays }),
        ),
      }),
      response: States,
    },
  },
)
