import { Type } from 'typebox'
import { creates, defineCalls, lists } from '../../call.ts'
import { Nullable, pageQuery, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { bulkActions } from './device-bulk.rules.ts'
import { bulkResultDays, bulkStates } from '../base/bulk.rules.ts'
import { AttributeKey, AttributeValue, deviceFilters, Tag } from './device.ts'
import { ServiceId } from '../access/service.ts'

const filter = Strict(deviceFilters)

const change = {
  action: Type.Enum(bulkActions),
  /** Of `addTag` and `removeTag`. */
  tag: Type.Optional(Tag),
  /** For `setService`; null removes devices from their service provider. */
  serviceId: Type.Optional(Nullable(ServiceId)),
  /** Of `setAttribute`; a null value removes the attribute. */
  key: Type.Optional(AttributeKey),
  attribute: Type.Optional(Nullable(AttributeValue)),
}

const Bulk = Type.Object({
  id: Uuid,
  filter: Type.Object(deviceFilters),
  change: Type.Object(change),
  /** The job that does it, which can be cancelled. */
  jobId: Nullable(Uuid),
  state: Type.Enum(bulkStates),
  /** How many devices the filter had at the start; null before the start. */
  total: Nullable(Type.Integer()),
  changed: Type.Integer(),
  /** Those already in the requested state. */
  unchanged: Type.Integer(),
  refused: Type.Integer(),
  /** The result for each device can be downloaded. */
  hasResults: Type.Boolean(),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
})
export type DeviceBulk = Type.Static<typeof Bulk>

const access = { right: 'device.change', isScoped: true } as const

export const deviceBulkCalls = defineCalls('maple', access, {
  'GET /api/maple/device/bulk/count': {
    summary: 'Count the devices of a filter',
    query: filter,
    response: Type.Object({ count: Type.Integer() }),
  },
  'GET /api/maple/device/bulk': {
    summary: 'List changes of whole filters, the newest first',
    query: Strict(pageQuery),
    ...lists(Bulk),
  },
  'POST /api/maple/device/bulk': {
    summary: 'Change every device of a filter',
    description:
      'A job changes the devices that the filter has when it starts, in batches. Each is changed as it is by then, by the rules of a change of one device; a refusal is a result. What was done stays when the job is cancelled.',
    body: Strict({ filter, ...change }),
    ...creates(Bulk, 'service_suspended'),
  },
  'GET /api/maple/device/bulk/{id}': { summary: 'Read a change of a whole filter', response: Bulk },
  'GET /api/maple/device/bulk/{id}/csv': {
    summary: 'Download the result for each device, as CSV',
    description: `Results are kept for ${bulkResultDays} days.`,
    response: Type.String(),
    produces: 'text/csv',
  },
})
