import { cplcPattern } from '@grove/secure-element/cplc'
import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, scoped } from '../../call.ts'
import {
  Name,
  Nullable,
  optional,
  Page,
  pageQuery,
  Right,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import { ServiceId } from '../access/service.ts'
import {
  attributeKeyPattern,
  attributeTypes,
  dayPattern,
  defaultDeviceState,
  deviceCountLimit,
  deviceIdPattern,
  deviceSearchLimit,
  deviceSeen,
  deviceSorting,
  deviceSorts,
  deviceStates,
  deviceTypes,
  initialDeviceStates,
  innerIdPattern,
  labelDevices,
  labelKinds,
  maxAttributeFilterLength,
  maxTagFilterLength,
  maxAttributeTextLength,
  maxDeviceNameLength,
  maxTagLength,
  maxAttributes,
  maxElements,
  maxLabels,
  maxTags,
  tagPattern,
  type DeviceSort,
} from './device.rules.ts'
import { orders } from '../../page.rules.ts'

const DeviceType = Type.Enum(deviceTypes)
const DeviceState = Type.Enum(deviceStates)
export const DeviceId = Type.String({ pattern: deviceIdPattern })
const InnerId = Type.String({ pattern: innerIdPattern, examples: ['W-0042-77'] })
const Cplc = Type.String({ pattern: cplcPattern })

export const AttributeValue = Strict({
  type: Type.Enum(attributeTypes),
  value: Type.Union([
    Type.String({ minLength: 1, maxLength: maxAttributeTextLength }),
    Type.Number(),
    Type.Boolean(),
  ]),
})
export const AttributeKey = Type.String({ pattern: attributeKeyPattern, examples: ['floor'] })
/** Custom facts by their keys; a day is `{ "type": "date", "value": "2026-03-01" }`. */
const Attributes = Type.Record(AttributeKey, AttributeValue, {
  maxProperties: maxAttributes,
  additionalProperties: false,
  examples: [{ floor: { type: 'number', value: 3 } }],
})

const Device = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: DeviceType,
  state: DeviceState,
  elements: Type.Array(Type.Object({ cplc: Type.String(), attachedAt: Timestamp })),
  lastSeenAt: Nullable(Timestamp),
  /** A wearable's own identifier, and the Maple account that it is bound to. */
  innerId: Nullable(Type.String()),
  accountId: Nullable(Uuid),
  /** The service provider that it belongs to. */
  serviceId: Nullable(Type.String()),
  /** Its product, of the same service provider. */
  productId: Nullable(Uuid),
  /** In lower case, in order. */
  tags: Type.Array(Type.String()),
  attributes: Type.Record(Type.String(), AttributeValue),
  rights: Type.Object({ retire: Right('transition_refused') }),
  ...stored,
})
export type Device = Type.Static<typeof Device>

const name = Name(maxDeviceNameLength)
export const CplcList = Type.Array(Cplc, { maxItems: maxElements })
/** An account needs an inner id; null removes either. */
const binding = optional({ innerId: Nullable(InnerId), accountId: Nullable(Uuid) })
export const Tag = Type.String({
  minLength: 1,
  maxLength: maxTagLength,
  format: 'name',
  pattern: tagPattern,
  examples: ['north'],
})
/** A given list or set replaces the earlier one; null removes the device from its service. */
const labels = optional({
  serviceId: Nullable(ServiceId),
  productId: Nullable(Uuid),
  tags: Type.Array(Tag, { maxItems: maxTags }),
  attributes: Attributes,
})
/** Several values separated by commas. */
const listOf = (values: readonly string[], description: string) =>
  Type.String({ pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`, description })

/** What devices can be listed and changed by. */
export const deviceFilters = optional({
  id: DeviceId,
  innerId: InnerId,
  q: SearchText('The beginning of an id, words of a name, or an element'),
  type: listOf(deviceTypes, 'Types, separated by commas'),
  state: listOf(deviceStates, 'States, separated by commas'),
  seen: Type.Enum(deviceSeen, { description: 'How long ago a device was last seen' }),
  createdOn: Type.String({ pattern: dayPattern, description: 'A day of UTC' }),
  tag: Type.String({
    maxLength: maxTagFilterLength,
    description: 'Tags that a device has, all of them, separated by commas',
  }),
  attribute: Type.String({
    maxLength: maxAttributeFilterLength,
    description: 'Conditions such as `site=North Hall,floor>=3,installed<=2026-03-01`',
  }),
  serviceId: ServiceId,
  productId: Uuid,
  groupId: Uuid,
  importId: Type.String({
    format: 'uuid',
    examples: ['0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'],
    description: 'Devices that no later import created or changed than this one',
  }),
})

const access = scoped('device.read', 'device.change')

export const deviceCalls = defineCalls('maple', access, {
  'GET /api/maple/device': {
    summary: 'List devices',
    description: `A search finds by the beginning of an id, by the beginnings of words of a name, by a CPLC or its beginning (9 hex digits or more), by chip id (24 hex digits) or by IC serial (8 hex digits), and looks at the first ${deviceSearchLimit} matches. So does a filter by a time, unless the list is sorted by that time. An id finds only that device.`,
    query: Strict({
      ...pageQuery,
      ...deviceFilters,
      count: Type.Optional(
        Type.Boolean({
          description: `Also count the matches: all of a type and state, of a time last seen or of a day; of other filters up to ${deviceCountLimit}`,
        }),
      ),
      sort: Type.Optional(
        Type.Unsafe<DeviceSort>(
          Type.Enum([...deviceSorts], {
            description:
              'By name, id, creation or last seen. Under a tag, an attribute or a product only by creation, and under a range of an attribute only by its value. Under a group whose rule has others, in the order of the first of those.',
          }),
        ),
      ),
      order: Type.Optional(Type.Enum(orders, { default: deviceSorting.order })),
    }),
    response: Type.Object({
      ...Page(Device).properties,
      /** Only with `count=true`; `isCapped`: there are more than `value`. */
      count: Type.Optional(Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() })),
      /**
       * A search has more matches than it reads: a longer text finds the rest. A page of several
       * filters ended before it was full: `next` continues.
       */
      isTruncated: Type.Boolean(),
      /** Only under a group: what the list can be sorted by, its usual order first. */
      sorts: Type.Optional(Type.Array(Type.Unsafe<DeviceSort>(Type.Enum([...deviceSorts])))),
    }),
    problems: ['bad_cursor'],
  },
  'GET /api/maple/device/label': {
    summary: 'List tags or attribute keys that devices have',
    description: `The first ${maxLabels} that begin with the text, in the order of bytes. In a scope, those of the newest ${labelDevices} devices.`,
    query: Strict({
      kind: Type.Enum([...labelKinds]),
      q: Type.Optional(Type.String({ maxLength: maxTagLength })),
    }),
    response: Type.Object({ items: Type.Array(Type.String()) }),
  },
  'POST /api/maple/device': {
    summary: 'Register a device',
    body: Strict({
      id: Type.Optional(DeviceId),
      name,
      type: DeviceType,
      /** Other states come later: online and offline from the connection, retired from DELETE. */
      state: Type.Optional(Type.Enum(initialDeviceStates, { default: defaultDeviceState })),
      cplc: Type.Optional(CplcList),
      ...binding,
      ...labels,
    }),
    ...creates(
      Device,
      'device_id_taken',
      'already_exists',
      'element_attached_elsewhere',
      'service_suspended',
      'service_in_use',
    ),
  },
  'PUT /api/maple/device': {
    summary: 'Change a device',
    query: Strict({ id: DeviceId }),
    body: Strict({
      ...optional({ name, type: DeviceType, state: DeviceState, cplc: CplcList }),
      ...binding,
      ...labels,
    }),
    ...changes(
      Device,
      'already_exists',
      'element_attached_elsewhere',
      'transition_refused',
      'service_suspended',
      'service_in_use',
    ),
  },
  'DELETE /api/maple/device': {
    summary: 'Retire a device, or detach one element from it',
    query: Strict({ id: DeviceId, cplc: Type.Optional(Cplc) }),
    ...deletes(),
  },
})
