import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import type { GroupKind } from '@grove/contract/maple/fleet/group.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useDeviceWords } from '../device-words.ts'
import { useSeenWords } from '../seen-words.ts'
import { productQuery } from './group.api.ts'
import { momentText } from '../../../../ui/i18n/moment-text.ts'

export type GroupRule = NonNullable<DeviceGroup['rule']>

export const kindOf = ({ rule }: Pick<DeviceGroup, 'rule'>): GroupKind =>
  rule === null ? 'list' : 'rule'

export function useKindWords(): Record<GroupKind, string> {
  const { t } = useLingui()
  return {
    rule: t({ message: 'Rule', context: 'of a device group' }),
    list: t({ message: 'List', context: 'of a device group' }),
  }
}

/** The conditions of a rule, as names and values. */
export function useRuleFacts(rule: GroupRule): (readonly [string, ReactNode])[] {
  const { t, i18n } = useLingui()
  const words = useDeviceWords()
  const seen = useSeenWords()
  const { productId } = rule
  const { data } = useQuery({ ...productQuery(productId ?? ''), enabled: productId !== undefined })
  const named = (of: Record<string, string>, values: string) =>
    values
      .split(',')
      .map((value) => of[value] ?? value)
      .join(', ')
  const day = (text: string) => momentText(i18n, text, { dateStyle: 'medium', timeZone: 'UTC' })
  const facts: [string, string | undefined][] = [
    [t`Product`, productId && (data?.items[0]?.name ?? productId)],
    [t`Service provider`, rule.serviceId],
    [t`Type`, rule.type && named(words.type, rule.type)],
    [t`State`, rule.state && named(words.state, rule.state)],
    [t`Last seen`, rule.seen && seen[rule.seen]],
    [t`Tags`, rule.tag],
    [t`Attributes`, rule.attribute],
    [t`Created`, rule.createdOn && day(rule.createdOn)],
    [t({ message: 'Import', context: 'a file of devices' }), rule.importId],
  ]
  return facts.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, <bdi key={name}>{value}</bdi>] as const],
  )
}
