import { cplcPattern } from '@grove/secure-element/cplc'
import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes } from '../call.ts'
import {
  ListQuery,
  Name,
  Nullable,
  optional,
  Page,
  Right,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import {
  defaultDeviceState,
  deviceCountLimit,
  deviceIdPattern,
  deviceSearchLimit,
  deviceSorting,
  deviceStates,
  deviceTypes,
  initialDeviceStates,
  innerIdPattern,
  longestDeviceName,
  mostElements,
} from './device.rules.ts'

const DeviceType = Type.Enum(deviceTypes)
const DeviceState = Type.Enum(deviceStates)
const DeviceId = Type.String({ pattern: deviceIdPattern })
const InnerId = Type.String({ pattern: innerIdPattern, examples: ['W-0042-77'] })
const Cplc = Type.String({ pattern: cplcPattern })

const Device = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: DeviceType,
  state: DeviceState,
  elements: Type.Array(Type.Object({ cplc: Type.String(), attachedAt: Timestamp })),
  lastSeenAt: Nullable(Timestamp),
  /** What a wearable is known by inside, and the Maple account that it is bound to. */
  innerId: Nullable(Type.String()),
  accountId: Nullable(Uuid),
  rights: Type.Object({ retire: Right('transition_refused') }),
  ...stored,
})
export type Device = Type.Static<typeof Device>

const name = Name(longestDeviceName)
const cplcList = Type.Array(Cplc, { maxItems: mostElements })
/** An account needs an inner id; null removes either. */
const binding = optional({ innerId: Nullable(InnerId), accountId: Nullable(Uuid) })
/** Several values separated by commas. */
const listOf = (values: readonly string[], description: string) =>
  Type.String({ pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`, description })

export const deviceCalls = defineCalls('maple', {
  'GET /api/maple/device': {
    summary: 'List devices',
    description: `A search finds by the beginning of an id or name, by a whole CPLC, by chip id (24 hex digits) or by IC serial (8 hex digits), and looks at the first ${deviceSearchLimit} matches. An id finds only that device.`,
    access: 'admin',
    query: ListQuery(
      {
        id: DeviceId,
        innerId: InnerId,
        q: SearchText('The beginning of an id or name, or an element'),
        type: listOf(deviceTypes, 'Types, separated by commas'),
        state: listOf(deviceStates, 'States, separated by commas'),
        count: Type.Boolean({ description: `Also count the matches, up to ${deviceCountLimit}` }),
      },
      deviceSorting,
    ),
    response: Type.Object({
      ...Page(Device).properties,
      /** Only with `count=true`; `isCapped`: there are more than `value`. */
      count: Type.Optional(Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() })),
      /** The search matched more than it looks at; a longer text finds the rest. */
      isTruncated: Type.Boolean(),
    }),
    problems: ['bad_cursor'],
  },
  'POST /api/maple/device': {
    summary: 'Register a device',
    access: 'admin',
    body: Strict({
      id: Type.Optional(DeviceId),
      name,
      type: DeviceType,
      /** Other states come later: online and offline from the connection, retired from DELETE. */
      state: Type.Optional(Type.Enum(initialDeviceStates, { default: defaultDeviceState })),
      cplc: Type.Optional(cplcList),
      ...binding,
    }),
    ...creates(Device, 'device_id_taken', 'already_exists', 'element_attached_elsewhere'),
  },
  'PUT /api/maple/device': {
    summary: 'Change a device',
    access: 'admin',
    query: Strict({ id: DeviceId }),
    body: Strict({
      ...optional({ name, type: DeviceType, state: DeviceState, cplc: cplcList }),
      ...binding,
    }),
    ...changes(Device, 'already_exists', 'element_attached_elsewhere', 'transition_refused'),
  },
  'DELETE /api/maple/device': {
    summary: 'Retire a device, or detach one element from it',
    access: 'admin',
    query: Strict({ id: DeviceId, cplc: Type.Optional(Cplc) }),
    ...deletes,
  },
})
