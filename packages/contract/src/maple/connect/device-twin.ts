import { Type } from 'typebox'
import { defineCalls, scoped } from '../../call.ts'
import { Nullable, Right, Strict, Timestamp } from '../../shapes.ts'
import { maxDesiredLength } from './device-twin.rules.ts'
import { deepestState } from '../base/json-state.rules.ts'
import { deviceIdPattern } from '../fleet/device.rules.ts'

const DeviceId = Type.String({ pattern: deviceIdPattern })
// Any keys, even those that a pattern would not match.
const AnyKeys = <Value>(example: Value) =>
  Type.Unsafe<Record<string, Value>>(
    Type.Object({}, { additionalProperties: true, examples: [{ interval: example }] }),
  )
const State = AnyKeys<unknown>(60)

const DeviceTwin = Type.Object({
  deviceId: Type.String(),
  /** The desired state. */
  desired: State,
  /** Rises with each change; 0 before the first. */
  desiredVersion: Type.Integer(),
  desiredAt: Nullable(Timestamp),
  desiredBy: Nullable(Type.String()),
  /** Why this version does not reach the device: it exceeds the device's maximum message length. */
  desiredProblem: Nullable(Type.Enum(['too_long'])),
  /** The reported state. */
  reported: State,
  reportedVersion: Type.Integer(),
  reportedAt: Nullable(Timestamp),
  /** Why the last report was not stored. */
  reportedProblem: Nullable(Type.Enum(['too_long', 'too_deep'])),
  /** The desired version that the device answered last; 0 for none. */
  answeredVersion: Type.Integer(),
  answeredAt: Nullable(Timestamp),
  /** Keys of that version that the device refused, with its reasons. */
  refused: AnyKeys('interval is a number of seconds.'),
  /** Desired values that differ from the reported ones. */
  difference: Type.Array(
    Type.Object({
      path: Type.Array(Type.String()),
      desired: Type.Unknown(),
      reported: Type.Optional(Type.Unknown()),
    }),
  ),
  rights: Type.Object({
    /** Also to send commands. */
    change: Right('transition_refused', 'forbidden'),
  }),
})
export type DeviceTwin = Type.Static<typeof DeviceTwin>

const access = scoped('device.read', 'device.command')

export const deviceTwinCalls = defineCalls('maple', access, {
  'GET /api/maple/device/twin': {
    summary: 'Read the desired and the reported state of a device',
    query: Strict({ deviceId: DeviceId }),
    response: DeviceTwin,
    problems: ['not_found'],
  },
  'PUT /api/maple/device/twin': {
    summary: 'Change the desired state of a device',
    description: `As RFC 7396 says: null removes a key, arrays are replaced as a whole. \`version\` is the one that the change is based on; \`edit_conflict\` names the keys that changed since then. At most ${maxDesiredLength} bytes and ${deepestState} levels.`,
    query: Strict({ deviceId: DeviceId }),
    body: Strict({
      desired: State,
      version: Type.Optional(Type.Integer({ minimum: 0, examples: [0] })),
    }),
    response: DeviceTwin,
    problems: ['not_found', 'edit_conflict', 'transition_refused'],
  },
})
