import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, lists, scoped } from '../../call.ts'
import {
  ListQuery,
  Name,
  Nullable,
  optional,
  Right,
  SearchText,
  stored,
  Strict,
  Uuid,
} from '../../shapes.ts'
import { DeviceId, deviceFilters } from './device.ts'
import {
  groupKinds,
  groupSearchLimit,
  groupSorting,
  maxGroupChange,
  maxGroupDescriptionLength,
  maxGroupDevices,
  maxGroupNameLength,
  maxGroups,
} from './group.rules.ts'

// A search looks only at its first matches, but a group contains all of its devices.
const { id: _id, innerId: _innerId, q: _q, groupId: _groupId, ...conditions } = deviceFilters
const Rule = Type.Object(conditions, {
  additionalProperties: false,
  minProperties: 1,
  examples: [{ tag: 'north' }],
})

const Group = Type.Object({
  id: Uuid,
  serviceId: Nullable(Type.String()),
  name: Type.String(),
  description: Type.String(),
  /** The filter that finds its devices; null for a list of devices. */
  rule: Nullable(Rule),
  /** How many devices a list has; null for a rule, whose devices the list of devices counts. */
  size: Nullable(Type.Integer()),
  createdBy: Nullable(Type.String()),
  rights: Type.Object({
    changeDevices: Right('group_has_rule'),
    delete: Right('group_in_use'),
  }),
  ...stored,
})
export type DeviceGroup = Type.Static<typeof Group>

const name = Name(maxGroupNameLength)
const values = optional({
  description: Type.String({ maxLength: maxGroupDescriptionLength }),
  rule: Rule,
})
const Devices = Type.Array(DeviceId, { maxItems: maxGroupChange })

const query = Strict({ id: Uuid })

export const groupCalls = defineCalls('maple', scoped('device.read', 'device.change'), {
  'GET /api/maple/group': {
    summary: 'List groups of devices',
    description: `A search finds by the beginnings of words of a name, and looks at the first ${groupSearchLimit} matches. The devices of a group are those that the list of devices has under \`groupId\`.`,
    query: ListQuery(
      { id: Uuid, q: SearchText('The beginnings of words of a name'), kind: Type.Enum(groupKinds) },
      groupSorting,
    ),
    ...lists(Group),
  },
  'POST /api/maple/group': {
    summary: 'Create a group of devices',
    description: `With a rule it has every device that the rule finds; without one it is a list, to which devices are added. A service provider has at most ${maxGroups}.`,
    body: Strict({ name, ...values }),
    ...creates(Group, 'already_exists', 'limit_reached', 'service_suspended'),
  },
  'PUT /api/maple/group': {
    summary: 'Change a group of devices',
    description: 'A list stays a list: it takes no rule.',
    query,
    body: Strict({ ...optional({ name }), ...values }),
    ...changes(Group, 'already_exists', 'group_in_use'),
  },
  'DELETE /api/maple/group': {
    summary: 'Delete a group of devices',
    description:
      'Its devices stay. A group is kept while a rollout that is not over takes its devices from it.',
    query,
    ...deletes('group_in_use'),
  },
  'POST /api/maple/group/{id}/devices': {
    summary: 'Add devices to a list, and remove devices from it',
    description: `All of them or none. A list has at most ${maxGroupDevices} devices.`,
    body: Strict(optional({ add: Devices, remove: Devices })),
    response: Group,
    problems: ['group_has_rule', 'limit_reached'],
  },
})
