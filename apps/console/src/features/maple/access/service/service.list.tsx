import type { MapleService } from '@grove/contract/maple/access/service'
import { serviceStates } from '@grove/contract/maple/access/service.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Building2 } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { useList } from '../../../../ui/table/use-list.ts'
import { services } from './service.api.ts'
import { ServiceStateBadge, useServiceStateWords } from './service.labels.tsx'
import { serviceList, serviceSearch } from './service.search.ts'

const ServicePanel = onDemand(
  () => import('./service.panel.tsx').then((file) => file.ServicePanel),
  'maple-service',
)
const CreateService = onDemand(
  () => import('./service.form.tsx').then((file) => file.CreateService),
  'maple-service',
)

/** The service providers, and beside them one or the form for a new one. */
export function ServiceList() {
  const { t } = useLingui()
  const words = useServiceStateWords()
  const columns = useServiceColumns()
  const { search, onSearch } = useAddress(serviceSearch)
  return (
    <ResourceList
      list={useList(services, search, onSearch)}
      title={t`Service Providers`}
      description={t`Organisations that devices and Maple accounts belong to.`}
      icon={Building2}
      columns={columns}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} service provider`, other: `#${more} service providers` })}`
      }
      searchLabel={t`Search by name or ID`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{
        title: t`No service providers yet`,
        text: t`A service provider has its own devices, and accounts that see only those.`,
      }}
      create={{ label: t`New service provider`, form: CreateService }}
      panel={ServicePanel}
      isEditable
    />
  )
}

function useServiceColumns(): DataColumn<MapleService>[] {
  const { t } = useLingui()
  return [
    nameColumn(serviceList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    { id: 'id', header: t`ID`, cell: ({ id }) => <code>{id}</code> },
    stateColumn(
      t`State`,
      ServiceStateBadge,
      serviceStates.map((state) => ({ state })),
    ),
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
