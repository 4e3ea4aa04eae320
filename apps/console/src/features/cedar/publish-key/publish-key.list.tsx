import type { PublishKey } from '@grove/contract/cedar/publish-key'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { KeySquare } from 'lucide-react'
import { Person } from '../../../people/person.tsx'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn } from '../../../ui/table/columns.tsx'
import { ResourceList } from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useResourceList } from '../../../ui/table/use-resource-list.ts'
import { publishKeys } from './publish-key.api.ts'
import { KeyEnd, KeyProvider, LastUse } from './publish-key.labels.tsx'
import { publishKeyList } from './publish-key.search.ts'

const PublishKeyPanel = onDemand(() =>
  import('./publish-key.panel.tsx').then((file) => file.PublishKeyPanel),
)
const CreatePublishKey = onDemand(() =>
  import('./publish-key.form.tsx').then((file) => file.CreatePublishKey),
)

/** The publish keys of the reader's providers. */
export function PublishKeyList() {
  const { t } = useLingui()
  const columns = usePublishKeyColumns()
  const list = useResourceList(publishKeys)
  return (
    <ResourceList
      list={list}
      title={t`Publish keys`}
      description={t`Let a build server publish versions of your apps.`}
      icon={KeySquare}
      columns={columns}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} key`, other: `#${more} keys` })}`
      }
      searchLabel={t`Search by name`}
      filters={[]}
      empty={{
        title: t`No publish keys yet`,
        text: t`With a key, a build server publishes your apps without your password. The command stands on the page of each app.`,
      }}
      create={{ label: t`New key`, form: CreatePublishKey }}
      panel={PublishKeyPanel}
    />
  )
}

function usePublishKeyColumns(): DataColumn<PublishKey>[] {
  const { t } = useLingui()
  return [
    nameColumn<PublishKey>(publishKeyList, {
      id: 'name',
      header: t`Name`,
      text: ({ name }) => name,
    }),
    {
      id: 'ending',
      header: t`Key`,
      phone: 'hidden',
      cell: ({ ending }) => <code>…{ending}</code>,
    },
    {
      id: 'providerId',
      header: t({ message: 'Provider', context: 'of apps' }),
      cell: (key) => <KeyProvider {...key} />,
    },
    {
      id: 'createdBy',
      header: t`Created by`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ createdBy }) => <Person id={createdBy} />,
    },
    { id: 'lastUsedAt', header: t`Last used`, cell: (key) => <LastUse {...key} /> },
    { id: 'expiresAt', header: t`Expires`, cell: (key) => <KeyEnd {...key} /> },
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
