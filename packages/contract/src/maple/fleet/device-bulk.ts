import { Type } from 'typebox'
import { creates, defineCalls, listsBy } from '../../call.ts'
import { Nullable, Right, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { bulkActions, bulkSorting, changeActions, namedInPreview } from './device-bulk.rules.ts'
import { bulkResultDays, bulkStates } from '../base/bulk.rules.ts'
import { AttributeKey, AttributeValue, deviceFilters, Tag } from './device.ts'
import { ServiceId } from '../access/service.ts'

const filter = Strict(deviceFilters)

const values = {
  /** Of `addTag` and `removeTag`. */
  tag: Type.Optional(Tag),
  /** For `setService`; null removes devices from their service provider. */
  serviceId: Type.Optional(Nullable(ServiceId)),
  /** Of `setAttribute`; a null value removes the attribute. */
  key: Type.Optional(AttributeKey),
  attribute: Type.Optional(Nullable(AttributeValue)),
}

/** The newest change that reverts another one. */
export const Revert = Type.Object({
  id: Uuid,
  state: Type.Enum(bulkStates),
  refused: Type.Integer(),
  /** Whether it was reverted itself. */
  isReverted: Type.Boolean(),
})

export const revertProblems = [
  'bulk_running',
  'bulk_final',
  'bulk_reverted',
  'bulk_complete',
  'bulk_expired',
] as const

export const Bulk = Type.Object({
  id: Uuid,
  filter: Type.Object(deviceFilters),
  change: Type.Object({ action: Type.Enum(changeActions), ...values }),
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
  /** The bulk change, or the import, that a revert undoes. */
  revertsBulkId: Nullable(Uuid),
  revertsImportId: Nullable(Uuid),
  /** Whether a revert also changes devices that were changed since. */
  overwrites: Type.Boolean(),
  revertedBy: Nullable(Revert),
  rights: Type.Object({
    revert: Right(...revertProblems),
    continue: Right('bulk_running', 'bulk_reverted', 'bulk_complete', 'bulk_expired'),
  }),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
})
export type DeviceBulk = Type.Static<typeof Bulk>

/** The effects of a revert now. */
export const RevertPreview = Type.Object({
  /** Devices that would get their former values. */
  changed: Type.Integer(),
  /** Those that have them already. */
  unchanged: Type.Integer(),
  /** Those changed since: they stay unchanged, or lose that later change. */
  since: Type.Integer(),
  /** Those that no longer exist, or belong to another service provider by now. */
  gone: Type.Integer(),
  /** The first of those changed since, with the value after the change and the current one. */
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      changes: Type.Array(
        Type.Object({
          /** Such as `state`, `tags.north` or `attributes.floor`; `used` for a device in use. */
          field: Type.String(),
          left: Type.Unknown(),
          now: Type.Unknown(),
        }),
      ),
    }),
    { maxItems: namedInPreview },
  ),
})
export type RevertPreview = Type.Static<typeof RevertPreview>

export const overwrites = Type.Boolean({
  description: 'Whether devices that were changed since get their former values too.',
})

const access = { right: 'device.change', isScoped: true } as const

export const deviceBulkCalls = defineCalls('maple', access, {
  'GET /api/maple/device/bulk/count': {
    summary: 'Count the devices of a filter',
    query: filter,
    response: Type.Object({ count: Type.Integer() }),
  },
  'GET /api/maple/device/bulk': {
    summary: 'List changes of whole filters, the newest first',
    ...listsBy(Bulk, bulkSorting, { id: Uuid }),
  },
  'POST /api/maple/device/bulk': {
    summary: 'Change every device of a filter',
    description:
      'A job changes the devices that the filter has when it starts, in batches. Each is changed as it is by then, by the rules of a change of one device; a refusal is a result. What was done stays when the job is cancelled.',
    body: Strict({ filter, action: Type.Enum(bulkActions), ...values }),
    ...creates(Bulk, 'service_suspended'),
  },
  'GET /api/maple/device/bulk/{id}': { summary: 'Read a change of a whole filter', response: Bulk },
  'POST /api/maple/device/bulk/{id}/continue': {
    summary: 'Continue a change that was cancelled or failed',
    description: 'Its remaining devices are changed; those that it found at its start.',
    response: Bulk,
    problems: ['not_found', 'bulk_running', 'bulk_reverted', 'bulk_complete', 'bulk_expired'],
  },
  'GET /api/maple/device/bulk/{id}/revert': {
    summary: 'Show what a revert of a change would do',
    response: RevertPreview,
    problems: ['not_found', ...revertProblems],
  },
  'POST /api/maple/device/bulk/{id}/revert': {
    summary: 'Revert a change of a whole filter',
    description: `A job gives each device the values that the change found on it, and is a change of its own, which can be reverted too. Devices that somebody else has changed since in what the change set are left as they are. Former values are kept for ${bulkResultDays} days; retiring is final.`,
    body: Strict({ overwrites }),
    ...creates(Bulk, 'not_found', ...revertProblems),
  },
  'GET /api/maple/device/bulk/{id}/csv': {
    summary: 'Download the result for each device, as CSV',
    description: `Results are kept for ${bulkResultDays} days.`,
    response: Type.String(),
    produces: 'text/csv',
  },
})
