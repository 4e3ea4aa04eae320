import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { bulkStates } from '@grove/contract/maple/base/bulk.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { useDeviceWords } from '../device-words.ts'
import { useSeenWords } from '../seen-words.ts'
import { momentText } from '../../../../ui/i18n/moment-text.ts'

const stateKinds: Record<DeviceBulk['state'], StateKind> = {
  queued: 'waiting',
  running: 'waiting',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
}

export const everyState = bulkStates.map((state) => ({ state }))

export function BulkStateBadge({ state }: Pick<DeviceBulk, 'state'>) {
  const { t } = useLingui()
  const words: Record<DeviceBulk['state'], string> = {
    queued: t({ message: 'Waiting', context: 'a change of devices' }),
    running: t({ message: 'Running', context: 'a change of devices' }),
    completed: t({ message: 'Done', context: 'a change of devices' }),
    failed: t({ message: 'Failed', context: 'a change of devices' }),
    cancelled: t({ message: 'Cancelled', context: 'a change of devices' }),
  }
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}

/** What a change did, in the past tense. */
export function useChangeText() {
  const { t } = useLingui()
  return ({ change, revertsImportId }: Pick<DeviceBulk, 'change' | 'revertsImportId'>): string => {
    const { action, tag = '', key = '', serviceId, attribute } = change
    const value = String(attribute?.value)
    switch (action) {
      case 'accept':
        return t`Accepted devices`
      case 'quarantine':
        return t`Put devices on hold`
      case 'retire':
        return t`Retired devices`
      case 'addTag':
        return t`Added the tag “${tag}”`
      case 'removeTag':
        return t`Removed the tag “${tag}”`
      case 'setService':
        return serviceId
          ? t`Moved devices to ${serviceId}`
          : t`Took devices from their service provider`
      case 'setAttribute':
        return attribute ? t`Set ${key} to ${value}` : t`Removed the attribute ${key}`
      case 'revert':
        return revertsImportId === null ? t`Reverted a bulk change` : t`Reverted an import`
    }
  }
}

/** The filter of a bulk change, in words. */
export function useFilterText() {
  const { t, i18n } = useLingui()
  const { type: types, state: states } = useDeviceWords()
  const seenWords = useSeenWords()
  return ({ filter, change }: Pick<DeviceBulk, 'filter' | 'change'>): string => {
    if (change.action === 'revert') return '–'
    const { id, innerId, q, type, state, seen, createdOn, tag, attribute, ...of } = filter
    const listed = (words: Record<string, string>, values?: string) =>
      values
        ?.split(',')
        .map((value) => words[value] ?? value)
        .join(', ')
    const parts: [string, string | undefined][] = [
      [t`ID`, id],
      [t`Inner ID`, innerId],
      [t`Search`, q],
      [t`Type`, listed(types, type)],
      [t`State`, listed(states, state)],
      [t`Last seen`, seen && seenWords[seen]],
      [
        t`Created`,
        createdOn && momentText(i18n, createdOn, { dateStyle: 'medium', timeZone: 'UTC' }),
      ],
      [t`Tags`, tag],
      [t`Attributes`, attribute],
      [t`Service provider`, of.serviceId],
      [t`Product`, of.productId],
      [t`Group`, of.groupId],
      [t({ message: 'Import', context: 'a file of devices' }), of.importId],
    ]
    const found = parts.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
    return found.length > 0 ? found.join(' · ') : t`All devices`
  }
}
