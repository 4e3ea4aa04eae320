import { cplcPattern } from '@grove/secure-element/cplc'
import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import {
  Name,
  NoContent,
  Nullable,
  Page,
  pageQuery,
  Right,
  SearchText,
  sortQuery,
  Strict,
  Timestamp,
} from '../shapes.ts'
import {
  defaultDeviceOrder,
  defaultDeviceSort,
  defaultDeviceState,
  deviceCountLimit,
  deviceIdPattern,
  deviceSearchLimit,
  deviceSorts,
  deviceStates,
  deviceTypes,
  initialDeviceStates,
  longestDeviceName,
  mostElements,
} from './device.rules.ts'

const DeviceType = Type.Enum(deviceTypes)
const DeviceState = Type.Enum(deviceStates)
const DeviceId = Type.String({ pattern: deviceIdPattern })
const Cplc = Type.String({ pattern: cplcPattern })

const Device = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: DeviceType,
  state: DeviceState,
  elements: Type.Array(Type.Object({ cplc: Type.String(), attachedAt: Timestamp })),
  lastSeenAt: Nullable(Timestamp),
  rights: Type.Object({ retire: Right('transition_refused') }),
  revision: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Device = Type.Static<typeof Device>

const name = Name(longestDeviceName)
const cplcList = Type.Array(Cplc, { maxItems: mostElements })
/** Several values separated by commas. */
const listOf = (values: readonly string[], description: string) =>
  Type.String({ pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`, description })

export const deviceCalls = defineCalls('maple', {
  'GET /api/maple/device': {
    summary: 'List devices',
    description: `A search finds by the beginning of an id or name, by a whole CPLC, by chip id (24 hex digits) or by IC serial (8 hex digits), and looks at the first ${deviceSearchLimit} matches. An id finds only that device.`,
    access: 'admin',
    query: Strict({
      ...pageQuery,
      id: Type.Optional(DeviceId),
      q: Type.Optional(SearchText('The beginning of an id or name, or an element')),
      type: Type.Optional(listOf(deviceTypes, 'Types, separated by commas')),
      state: Type.Optional(listOf(deviceStates, 'States, separated by commas')),
      ...sortQuery(deviceSorts, defaultDeviceSort, defaultDeviceOrder),
      count: Type.Optional(
        Type.Boolean({ description: `Also count the matches, up to ${deviceCountLimit}` }),
      ),
    }),
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
    }),
    response: Device,
    status: 201,
    problems: ['device_id_taken', 'element_attached_elsewhere'],
  },
  'PUT /api/maple/device': {
    summary: 'Change a device',
    access: 'admin',
    query: Strict({ id: DeviceId }),
    body: Strict({
      name: Type.Optional(name),
      type: Type.Optional(DeviceType),
      state: Type.Optional(DeviceState),
      cplc: Type.Optional(cplcList),
    }),
    response: Device,
    problems: ['not_found', 'edit_conflict', 'element_attached_elsewhere', 'transition_refused'],
  },
  'DELETE /api/maple/device': {
    summary: 'Retire a device, or detach one element from it',
    access: 'admin',
    query: Strict({ id: DeviceId, cplc: Type.Optional(Cplc) }),
    response: NoContent,
    status: 204,
    problems: ['not_found', 'edit_conflict'],
  },
})
