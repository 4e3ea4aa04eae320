import {
  elementSorting,
  elementSortsOf,
  elementStates,
  isChipType,
  isProfileId,
} from '@grove/contract/maple/fleet/element.rules'
import { maxCplcTextLength } from '@grove/contract/maple/base/cplc.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

/** Selects the elements without a profile. No profile has an ID like it. */
export const noProfile = '-'

const yesNo = ['true', 'false'] as const

export const elementList = defineList({
  name: 'maple.element',
  item: 'element',
  sorting: elementSorting,
  filters: {
    state: elementStates,
    profile: (value: string) => value === noProfile || isProfileId(value),
    chipType: isChipType,
    attached: yesNo,
    hsm: yesNo,
    reading: ['differs'],
  },
  columns: ['serial', 'chipId', 'profile', 'state', 'device', 'keys', 'updatedAt'],
  hasCount: true,
  maxSearchLength: maxCplcTextLength,
})

/**
 * The query sent to the service: one profile, one type of chip, and a sort order that these filters
 * allow.
 */
export function elementQuery(page: ReturnType<typeof elementList.page>) {
  const { attached, hsm, profile, chipType, reading, sort, ...rest } = withOne(
    withOne(page, 'attached', yesNo),
    'hsm',
    yesNo,
  )
  const query = {
    ...rest,
    ...(reading && { reading: 'differs' as const }),
    ...(attached && { attached: attached === 'true' }),
    ...(hsm && { hsm: hsm === 'true' }),
    ...(profile &&
      !profile.includes(',') &&
      (profile === noProfile ? { hasProfile: false } : { profile })),
    ...(chipType && !chipType.includes(',') && { chipType }),
  }
  const sorts = elementSortsOf(query)
  return { ...query, sort: sorts.find((each) => each === sort) ?? elementSorting.default }
}

/** Only the filters of a page, for an export. */
export function filterOfQuery(query: ReturnType<typeof elementQuery>) {
  const { sort: _sort, order: _order, cursor: _cursor, limit: _limit, count: _, ...filter } = query
  return filter
}
export type ElementFilter = ReturnType<typeof filterOfQuery>
