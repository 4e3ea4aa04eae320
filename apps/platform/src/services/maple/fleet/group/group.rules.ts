import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { isDay } from '@grove/contract/maple/fleet/device.rules'
import { invalidField } from '../../../../core/http/problem.ts'
import { filterOf, type DeviceFilterQuery } from '../device/device-filter.ts'

export type GroupRule = NonNullable<DeviceGroup['rule']>

/**
 * A rule without conditions that say nothing.
 * @throws ProblemError `invalid_request` for one that cannot be read, or has no condition.
 */
export function storedRule(rule: GroupRule, now: number): GroupRule {
  const conditions = Object.entries(rule).filter(([, value]) => value.trim() !== '')
  if (conditions.length === 0)
    throw invalidField('rule', 'minProperties', 'A rule has at least one condition.')
  if (rule.createdOn !== undefined && !isDay(rule.createdOn))
    throw invalidField('rule.createdOn', 'day', `There is no day ${rule.createdOn}.`)
  filterOf(rule, now)
  return Object.fromEntries(conditions)
}

/** A list that nobody has: it finds no device. */
const nobodys = '00000000-0000-0000-0000-000000000000'

/** What a filter and a rule both find, as one filter. */
export function withinRule<Query extends DeviceFilterQuery>(query: Query, rule: GroupRule): Query {
  const both = { ...query }
  for (const [name, wanted] of Object.entries(rule) as [keyof GroupRule, string][]) {
    const asked = both[name]
    const value = asked === undefined ? wanted : valueOfBoth(name, asked, wanted)
    if (value === undefined) return { ...query, groupId: nobodys }
    Object.assign(both, { [name]: value })
  }
  return both
}

/** What both values of a condition allow; undefined where they exclude each other. */
function valueOfBoth(name: keyof GroupRule, one: string, other: string): string | undefined {
  switch (name) {
    case 'tag':
    case 'attribute':
      return `${one},${other}`
    case 'type':
    case 'state':
      return (
        one
          .split(',')
          .filter((value) => other.split(',').includes(value))
          .join(',') || undefined
      )
    default:
      return one === other ? one : undefined
  }
}

/** The filter with what its group adds; that of a list names the list. */
export function withGroup<Query extends DeviceFilterQuery>(
  query: Query,
  group: Pick<DeviceGroup, 'rule' | 'serviceId'> | undefined,
): Query {
  if (!group) return { ...query, groupId: nobodys }
  const { rule, serviceId } = group
  if (rule === null) return query
  const { groupId: _, ...rest } = query
  const found = withinRule(rest as Query, rule)
  return serviceId === null ? found : withinRule(found, { serviceId })
}
