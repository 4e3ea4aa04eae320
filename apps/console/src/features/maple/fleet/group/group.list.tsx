import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Layers } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { groups } from './group.api.ts'
import { kindOf, useKindWords } from './group.labels.tsx'
import { groupList } from './group.search.ts'

const GroupPanel = onDemand(() => import('./group.panel.tsx').then((file) => file.GroupPanel))
const CreateGroup = onDemand(() => import('./group.form.tsx').then((file) => file.CreateGroup))

/** The groups of devices, and beside them one or the form for a new one. */
export function GroupList() {
  const { t } = useLingui()
  const words = useKindWords()
  return (
    <ResourceList
      list={useResourceList(groups)}
      title={t`Device groups`}
      description={t`Devices that you look at and roll out to together: those that a rule finds, or a list.`}
      icon={Layers}
      columns={useGroupColumns()}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} group`, other: `#${more} groups` })}`
      }
      searchLabel={t`Search by name`}
      filters={[
        {
          name: 'kind',
          label: t({ message: 'Kind', context: 'of a device group' }),
          options: optionsOf(words),
          isSingle: true,
        },
      ]}
      empty={{
        title: t`No groups yet`,
        text: t`A group is a filter with a name, or a list of devices that you choose. Filter the devices by it, and roll programs out to it.`,
      }}
      create={{ label: t`New group`, form: CreateGroup }}
      panel={GroupPanel}
      isEditable
    />
  )
}

function useGroupColumns(): DataColumn<DeviceGroup>[] {
  const { t, i18n } = useLingui()
  const words = useKindWords()
  return [
    nameColumn(groupList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    {
      id: 'kind',
      header: t({ message: 'Kind', context: 'of a device group' }),
      cell: (group) => words[kindOf(group)],
    },
    {
      id: 'size',
      header: t`Devices`,
      align: 'end',
      phone: 'hidden',
      cell: ({ size }) => (size === null ? '–' : i18n.number(size)),
    },
    {
      id: 'description',
      header: t`Description`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ description }) => <bdi>{description}</bdi>,
    },
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
