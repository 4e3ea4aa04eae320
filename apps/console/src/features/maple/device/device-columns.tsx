import type { Device } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { deviceSearch } from './device.search.ts'
import { DeviceStateBadge, DeviceTypeText } from './device.labels.tsx'
import styles from './devices.module.css'

export function useDeviceColumns(): DataColumn<Device>[] {
  const { t } = useLingui()
  return [
    {
      id: 'name',
      header: t`Name`,
      sort: 'name',
      isPrimary: true,
      cell: ({ id, name }) => (
        // Enter on the row does the same: fifty more stops of the Tab key would help nobody.
        <Link
          to="/dashboard/maple/devices"
          search={(now) => deviceSearch({ ...now, device: id, edit: undefined, create: undefined })}
          resetScroll={false}
          preload={false}
          prefetch="hover"
          tabIndex={-1}
          className={styles.name}
          title={name}
        >
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      id: 'id',
      header: t`Id`,
      sort: 'id',
      width: '176px',
      isSecondary: true,
      cell: ({ id }) => <CopyableId value={id} />,
    },
    {
      id: 'type',
      header: t`Type`,
      width: '136px',
      cell: ({ type }) => <DeviceTypeText type={type} />,
    },
    {
      id: 'state',
      header: t`State`,
      width: '128px',
      cell: ({ state }) => <DeviceStateBadge state={state} />,
    },
    {
      id: 'elements',
      header: t`Elements`,
      width: '96px',
      align: 'end',
      isSecondary: true,
      cell: ({ elements }) => elements.length,
    },
    {
      id: 'lastSeenAt',
      header: t`Last seen`,
      sort: 'lastSeenAt',
      firstOrder: 'desc',
      width: '160px',
      cell: ({ lastSeenAt }) => <DateText value={lastSeenAt} isRelative />,
    },
    {
      id: 'createdAt',
      header: t`Created`,
      sort: 'createdAt',
      firstOrder: 'desc',
      width: '136px',
      isSecondary: true,
      cell: ({ createdAt }) => <DateText value={createdAt} isRelative />,
    },
  ]
}
