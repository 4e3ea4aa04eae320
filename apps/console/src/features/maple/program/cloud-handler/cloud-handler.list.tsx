import type { CloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { handlerStates } from '@grove/contract/maple/program/handler.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { CloudCog } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { handlers } from './cloud-handler.api.ts'
import { HandlerStateBadge, useHandlerStateWords, useTriggerText } from './cloud-handler.labels.tsx'
import { handlerList } from './cloud-handler.search.ts'

const HandlerPanel = onDemand(
  () => import('./cloud-handler.panel.tsx').then((file) => file.HandlerPanel),
  'maple-handler',
)
const CreateHandler = onDemand(
  () => import('./cloud-handler.form.tsx').then((file) => file.CreateHandler),
  'maple-handler',
)

/** The cloud handlers, and beside them a summary of one or the form for a new one. */
export function HandlerList() {
  const { t } = useLingui()
  const words = useHandlerStateWords()
  const columns = useHandlerColumns()
  return (
    <ResourceList
      list={useResourceList(handlers)}
      title={t`Cloud handlers`}
      description={t`Your programs that run on events, schedules and webhooks.`}
      icon={CloudCog}
      columns={columns}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} cloud handler`, other: `#${more} cloud handlers` })}`
      }
      searchLabel={t`Search by name`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{
        title: t`No cloud handlers yet`,
        text: t`Call your own service when a device comes online, every morning, or when somebody calls you.`,
      }}
      create={{ label: t`New cloud handler`, form: CreateHandler }}
      panel={HandlerPanel}
    />
  )
}

function useHandlerColumns(): DataColumn<CloudHandler>[] {
  const { t } = useLingui()
  const triggerText = useTriggerText()
  return [
    nameColumn(handlerList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    {
      id: 'trigger',
      header: t`Runs on`,
      cell: ({ trigger, deployed }) => triggerText(deployed?.trigger ?? trigger),
      isSecondary: true,
    },
    stateColumn(
      t`State`,
      HandlerStateBadge,
      handlerStates.map((state) => ({ state })),
    ),
    {
      id: 'version',
      header: t({ message: 'Version', context: 'of a handler' }),
      cell: ({ deployed }) => deployed?.version ?? '–',
      align: 'end',
      phone: 'hidden',
    },
    momentColumn('lastRunAt', t`Last run`, { phone: 'hidden' }),
    momentColumn('createdAt', t({ message: 'Created', context: 'when' }), {
      isSecondary: true,
      phone: 'hidden',
    }),
  ]
}
