import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { Nullable, ServiceCalls, Timestamp } from '../shapes.ts'
import { expiringDays } from './access/account.rules.ts'
import { aboutCountLimit, brokerProblems, growthDays } from './about.rules.ts'
import { deviceSeen, deviceStates, deviceTypes } from './fleet/device.rules.ts'

const Count = Type.Integer({ minimum: 0 })
const Day = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` })

const About = Type.Object({
  name: Type.Literal('maple'),
  /** The accepted values of the `api-version` header. */
  apiVersion: Type.String(),
  calls: ServiceCalls,
  countedAt: Timestamp,
  devices: Type.Object({
    count: Count,
    /** Every type with every state. */
    groups: Type.Array(
      Type.Object({ type: Type.Enum(deviceTypes), state: Type.Enum(deviceStates), count: Count }),
    ),
    /** How many were last seen how long ago; each device counts once. */
    seen: Type.Array(Type.Object({ seen: Type.Enum(deviceSeen), count: Count })),
    registered: Type.Array(Type.Object({ day: Day, count: Count }), {
      description: `The last ${growthDays} days of UTC, oldest first`,
    }),
  }),
  elements: Type.Object({ count: Count, attached: Count }),
  services: Type.Object({ count: Count, suspended: Count }),
  accounts: Type.Object({
    count: Count,
    expiringSoon: Type.Integer({ description: `Within ${expiringDays} days` }),
    expired: Count,
  }),
  jobs: Type.Object({ failed: Count }),
  /** The HSM for elements' keys; null if none is configured. */
  hsm: Nullable(
    Type.Object({
      isReachable: Type.Boolean(),
      /** What is wrong with it, as a problem code. */
      problem: Nullable(Type.String()),
    }),
  ),
  /** The broker of MQTT_URL in front; null where none is set, and for a service provider. */
  broker: Nullable(
    Type.Object({ isConnected: Type.Boolean(), problem: Nullable(Type.Enum(brokerProblems)) }),
  ),
})
export type MapleAbout = Type.Static<typeof About>

export const mapleAboutCalls = defineCalls('maple', {
  'GET /api/maple/about': {
    summary: 'Describe the service and count what it holds',
    description: `Counts are exact, except that accounts about to expire, expired accounts and failed jobs are counted up to ${aboutCountLimit}. In a scope it counts what its service provider has.`,
    access: { right: 'overview.read', isScoped: true },
    response: About,
  },
})
