import type { ProviderListItem } from '@grove/contract/cedar/provider-admin'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Building2 } from 'lucide-react'
import { Person } from '../../../people/person.tsx'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { useProviderName } from '../parts/use-provider-name.ts'
import { providers } from './provider.api.ts'
import { ProviderStateBadge, useProviderWords } from './provider.labels.tsx'
import { providerList, providerSearch } from './provider.search.ts'

const ProviderPanel = onDemand(
  () => import('./provider.panel.tsx').then((file) => file.ProviderPanel),
  'provider-parts',
)
const CreateProvider = onDemand(
  () => import('./provider.form.tsx').then((file) => file.CreateProvider),
  'provider-parts',
)

/** The providers, and beside them one provider or the form for a new one. */
export function ProviderList() {
  const { t } = useLingui()
  const words = useProviderWords()
  const nameOf = useProviderName()
  const columns = useProviderColumns()
  const { search, onSearch } = useAddress(providerSearch)
  const list = useList(providers, search, onSearch)
  return (
    <ResourceList
      list={list}
      title={t`Providers`}
      description={t`Organisations and developers that publish mini-apps.`}
      icon={Building2}
      columns={columns}
      rowLabel={nameOf}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} provider`, other: `#${more} providers` })}`
      }
      searchLabel={t`Search by name or ID`}
      filters={[
        { name: 'kind', label: t`Kind`, options: optionsOf(words.kind), isSingle: true },
        { name: 'stage', label: t`Stage`, options: optionsOf(words.stage), isSingle: true },
        { name: 'state', label: t`State`, options: optionsOf(words.state), isSingle: true },
      ]}
      empty={{
        title: t`No providers yet`,
        text: t`Apps are published under a provider. Each developer has a personal one; create one for an organisation.`,
      }}
      create={{ label: t`New provider`, form: CreateProvider }}
      panel={ProviderPanel}
      isEditable
    />
  )
}

function useProviderColumns(): DataColumn<ProviderListItem>[] {
  const { t } = useLingui()
  const words = useProviderWords()
  const nameOf = useProviderName()
  return [
    nameColumn<ProviderListItem>(providerList, { id: 'name', header: t`Name`, text: nameOf }),
    {
      id: 'kind',
      header: t`Kind`,
      cell: ({ isDefault }) => words.kind[isDefault ? 'personal' : 'organisation'],
    },
    { id: 'stage', header: t`Stage`, cell: ({ stage }) => words.stage[stage] },
    stateColumn(t`State`, ProviderStateBadge, [{ enabled: true }, { enabled: false }]),
    {
      id: 'productCount',
      header: t`Apps`,
      align: 'end',
      phone: 'hidden',
      cell: ({ productCount }) => productCount,
    },
    {
      id: 'owner',
      header: t`Owner`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ ownerId }) => <Person id={ownerId} />,
    },
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
