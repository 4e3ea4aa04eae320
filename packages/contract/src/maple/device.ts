import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { NoContent, Nullable, Page, pageQuery, Strict, Timestamp } from '../shapes.ts'

/** spec §3 "Device types". */
export const deviceTypes = ['iot', 'virtual', 'boot', 'default'] as const
const DeviceType = Type.Enum(deviceTypes)

export const deviceStates = [
  'pending',
  'accepted',
  'online',
  'offline',
  'quarantined',
  'retired',
] as const
const DeviceState = Type.Enum(deviceStates)

/** Visible ASCII without separators of a URL, so that an id reads the same in an address. */
const DeviceId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$' })

/** Card Production Life Cycle data: 42 bytes in hex, with or without the tag and length `9F7F2A`. */
const Cplc = Type.String({ pattern: '^(9[Ff]7[Ff]2[Aa])?[0-9A-Fa-f]{84}$' })

const Device = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: DeviceType,
  state: DeviceState,
  elements: Type.Array(Type.Object({ cplc: Type.String(), attachedAt: Timestamp })),
  lastSeenAt: Nullable(Timestamp),
  revision: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Device = Type.Static<typeof Device>

const name = Type.String({ minLength: 1, maxLength: 100 })
/** Several values separated by commas. */
const list = (values: string, description: string) =>
  Type.String({ pattern: `^(${values})(,(${values}))*$`, description })

export const deviceCalls = defineCalls({
  'GET /api/maple/device': {
    summary: 'List devices',
    description:
      'A search finds by the beginning of id or name, by a whole CPLC, by chip id (24 hex digits) or by IC serial (8 hex digits), and looks at the first 2,000 matches. An id finds that device alone.',
    access: 'admin',
    query: Strict({
      ...pageQuery,
      id: Type.Optional(DeviceId),
      q: Type.Optional(Type.String({ maxLength: 100 })),
      type: Type.Optional(list(deviceTypes.join('|'), 'Types, separated by commas')),
      state: Type.Optional(list(deviceStates.join('|'), 'States, separated by commas')),
      sort: Type.Optional(
        Type.Enum(['name', 'id', 'createdAt', 'lastSeenAt'], { default: 'name' }),
      ),
      order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
      count: Type.Optional(Type.Boolean({ description: 'Also count the matches, up to 10,000' })),
    }),
    response: Type.Object({
      ...Page(Device).properties,
      /** Present when asked for; `isCapped` says that there are more than `value`. */
      count: Type.Optional(Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() })),
      /** The search matched more than it looks at: ask for more characters. */
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
      /** The other states follow: online and offline from the connection, retired from DELETE. */
      state: Type.Optional(
        Type.Enum(['pending', 'accepted', 'quarantined'], { default: 'pending' }),
      ),
      cplc: Type.Optional(Type.Array(Cplc, { maxItems: 8 })),
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
      cplc: Type.Optional(Type.Array(Cplc, { maxItems: 8 })),
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
