import type { DeviceHandlerItem } from '@grove/contract/maple/program/device-handler'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Binary } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { momentColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { deviceHandlers } from './device-handler.api.ts'

const CreateHandler = onDemand(
  () => import('./device-handler.form.tsx').then((file) => file.CreateHandler),
  'maple-device-handler',
)

/** The device handlers of a service provider; each opens on its own page. */
export function DeviceHandlerList() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const columns = useHandlerColumns()
  const states = {
    draft: t({ message: 'Draft', context: 'state of a device handler' }),
    active: t({ message: 'Published', context: 'state of a device handler' }),
  }
  return (
    <ResourceList
      list={useResourceList(deviceHandlers)}
      title={t`Device handlers`}
      description={t`Code that decodes the payloads of devices that do not send JSON, and encodes commands for them.`}
      icon={Binary}
      columns={columns}
      rowLabel={({ name }) => name}
      onOpen={({ id }) =>
        void navigate({ to: '/dashboard/maple/device_handlers/$id', params: { id } })
      }
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} device handler`, other: `#${more} device handlers` })}`
      }
      searchLabel={t`Search by name`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(states), isSingle: true }]}
      empty={{
        title: t`Write your first device handler`,
        text: t`Ten lines turn bytes into charts. The sample reads a battery level and a temperature.`,
      }}
      create={{ label: t`New device handler`, form: CreateHandler }}
    />
  )
}

function useHandlerColumns(): DataColumn<DeviceHandlerItem>[] {
  const { t } = useLingui()
  return [
    {
      id: 'name',
      header: t`Name`,
      isPrimary: true,
      cell: ({ id, name }) => (
        <Link
          to="/dashboard/maple/device_handlers/$id"
          params={{ id }}
          preload={false}
          tabIndex={-1}
        >
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    { id: 'note', header: t`Note`, isSecondary: true, cell: ({ note }) => note || '–' },
    {
      id: 'version',
      header: t({ message: 'Version', context: 'of a device handler' }),
      phone: 'hidden',
      cell: ({ version, isChanged }) =>
        version === null ? (
          <span className="muted">
            <Trans>Draft only</Trans>
          </span>
        ) : (
          <>
            {version}
            {isChanged && (
              <span className="muted">
                {' · '}
                <Trans>draft differs</Trans>
              </span>
            )}
          </>
        ),
    },
    momentColumn('updatedAt', t`Changed`, { phone: 'hidden' }),
  ]
}
