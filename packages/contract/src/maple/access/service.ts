import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy } from '../../call.ts'
import { Name, optional, SearchText, stored, Strict } from '../../shapes.ts'
import {
  defaultActivityDays,
  maxServiceNameLength,
  maxActivityDays,
  serviceIdPattern,
  serviceSearchLimit,
  serviceSorting,
  serviceStates,
  serviceUseLimit,
} from './service.rules.ts'

/** The id of a service provider, as other objects of Maple name it. */
export const ServiceId = Type.String({ pattern: serviceIdPattern, examples: ['acme-wearables'] })

const ServiceState = Type.Enum(serviceStates)

const Service = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: ServiceState,
  ...stored,
})
export type MapleService = Type.Static<typeof Service>

/** Up to a limit: `isCapped` means that there are more. */
const Count = Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() })

const name = Name(maxServiceNameLength)
const query = Strict({ id: ServiceId })

const access = {
  read: { right: 'service.read', isScoped: true },
  change: { right: 'service.change' },
} as const

export const mapleServiceCalls = defineCalls('maple', access, {
  'GET /api/maple/service': {
    summary: 'List service providers',
    description: `A search finds by the beginning of an id or the beginnings of words of a name, and looks at the first ${serviceSearchLimit} of each. An id finds only that service provider.`,
    ...listsBy(Service, serviceSorting, {
      id: ServiceId,
      q: SearchText('The beginning of an id, or of words of a name'),
      state: ServiceState,
    }),
  },
  'POST /api/maple/service': {
    summary: 'Add a service provider',
    body: Strict({ id: ServiceId, name }),
    ...creates(Service, 'already_exists'),
  },
  'PUT /api/maple/service': {
    summary: 'Rename, suspend or resume a service provider',
    description:
      'While it is suspended, its accounts have no rights and nothing new can be added to it.',
    query,
    body: Strict(optional({ name, state: ServiceState })),
    ...changes(Service),
  },
  'DELETE /api/maple/service': {
    summary: 'Delete a service provider that nothing uses',
    query,
    ...deletes('service_in_use'),
  },
  'GET /api/maple/service/impact': {
    summary: 'Count what uses a service provider',
    description: `It can be deleted when all are zero. Counts stop at ${serviceUseLimit}.`,
    access: access.read,
    query,
    response: Type.Object({ devices: Count, accounts: Count }),
    problems: ['not_found'],
  },
  'GET /api/maple/service/activity': {
    summary: 'Count the devices registered and the events of a service provider by day',
    description: 'The last days of UTC in order, today included; days without either are there.',
    query: Strict({
      id: ServiceId,
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxActivityDays, default: defaultActivityDays }),
      ),
    }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          /** Such as `2026-11-22`. */
          day: Type.String(),
          devices: Type.Integer(),
          events: Type.Integer(),
        }),
      ),
    }),
    problems: ['not_found'],
  },
})
