import type { Device } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { CopyableId } from '../../../components/copyable-id.tsx'
import type { DataColumn } from '../../../components/data-table/types.ts'
import { DateText } from '../../../components/date-text.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { stateKinds, useDeviceWords } from './device-words.ts'

export function useDeviceColumns(): DataColumn<Device>[] {
  const { t } = useLingui()
  const words = useDeviceWords()
  return [
    { id: 'name', header: t`Name`, sort: 'name', isPrimary: true, cell: ({ name }) => name },
    {
      id: 'id',
      header: t`Id`,
      sort: 'id',
      width: '220px',
      cell: ({ id }) => <CopyableId value={id} />,
    },
    { id: 'type', header: t`Type`, width: '104px', cell: ({ type }) => words.type[type] },
    {
      id: 'state',
      header: t`State`,
      width: '144px',
      cell: ({ state }) => <StateBadge kind={stateKinds[state]} text={words.state[state]} />,
    },
    {
      id: 'elements',
      header: t`Elements`,
      width: '104px',
      align: 'end',
      cell: ({ elements }) => elements.length,
    },
    {
      id: 'lastSeenAt',
      header: t`Last seen`,
      sort: 'lastSeenAt',
      firstOrder: 'desc',
      width: '152px',
      cell: ({ lastSeenAt }) => <DateText value={lastSeenAt} isRelative />,
    },
  ]
}
