import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import {
  deviceSortsOf,
  isAttributeKey,
  normaliseTag,
} from '@grove/contract/maple/fleet/device.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { invalidField } from '../../../../core/http/problem.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { withinGroup } from './device-choice.ts'
import { deviceList } from './device-list.queries.ts'
import { labelsOfAll, labelsOfService } from './device-label.queries.ts'
import { withRights } from './device.service.ts'

/**
 * @throws BadCursorError for a cursor that is not of this sort and order; ProblemError
 * `invalid_request` for a filter that cannot be read, or a sort that it does not have.
 */
export async function listDevices(
  { db, now }: Pick<MapleContext, 'db' | 'now'>,
  actor: AnyActor,
  asked: QueryOf<Calls['GET /api/maple/device']>,
): Promise<ResponseOf<Calls['GET /api/maple/device']>> {
  const query = await withinGroup(db, asked, scopeOf(actor))
  const sorts = deviceSortsOf(query)
  const isOfGroup = asked.groupId !== undefined
  const usual = isOfGroup || asked.sort === undefined ? sorts[0] : undefined
  // A caller that asks for a group need not know what its rule can be sorted by.
  const sort = sorts.find((each) => each === asked.sort) ?? usual
  if (sort === undefined)
    throw invalidField('sort', 'enum', `With these filters, sort must be ${sorts.join(' or ')}.`)
  const serviceId = serviceOf(scopeOf(actor)) ?? query.serviceId
  if (query.serviceId !== undefined && query.serviceId !== serviceId) return nothing
  const ofScope = serviceId === undefined ? {} : { serviceId }
  const page = await deviceList.read(db, { ...query, ...ofScope, sort }, now())
  return {
    ...page,
    items: page.items.map(({ key: _key, ...device }) => withRights(actor, device)),
    ...(isOfGroup && { sorts: [...sorts] }),
  }
}

const nothing = {
  items: [],
  next: null,
  previous: null,
  isTruncated: false,
  count: { value: 0, isCapped: false },
}

/** The tags or attribute keys to choose from in a filter. */
export async function listLabels(
  { db }: Pick<MapleContext, 'db'>,
  actor: AnyActor,
  { kind, q = '' }: QueryOf<Calls['GET /api/maple/device/label']>,
): Promise<ResponseOf<Calls['GET /api/maple/device/label']>> {
  const beginning = kind === 'tag' ? normaliseTag(q) : q
  if (kind === 'attribute' && beginning !== '' && !isAttributeKey(beginning)) return { items: [] }
  const serviceId = serviceOf(scopeOf(actor))
  const asked = { kind, beginning }
  const items =
    serviceId === null ? await labelsOfAll(db, asked) : await labelsOfService(db, asked, serviceId)
  return { items }
}
