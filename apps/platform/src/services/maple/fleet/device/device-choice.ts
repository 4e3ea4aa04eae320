import type { Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findRule } from '../group/group.queries.ts'
import { withGroup } from '../group/group.rules.ts'
import { filterOf, type DeviceFilterQuery } from './device-filter.ts'
import { searchOf } from './device-search.ts'
import type { Choice } from './every-device.queries.ts'

/** A filter with what the rule of its group adds; a group of another scope has no devices. */
export const withinGroup = async <Query extends DeviceFilterQuery>(
  db: MapleDb,
  query: Query,
  scope: Scope,
): Promise<Query> =>
  query.groupId === undefined ? query : withGroup(query, await findRule(db, query.groupId, scope))

/** @throws ProblemError `invalid_request` for a filter that cannot be read. */
export async function choiceOf(
  db: MapleDb,
  query: DeviceFilterQuery,
  { scope, now }: { scope: Scope; now: number },
): Promise<Choice> {
  const whole = await withinGroup(db, query, scope)
  return { filter: filterOf(whole, now), search: searchOf(whole), scope }
}
