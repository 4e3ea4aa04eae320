import type { TemplateItem } from '@grove/contract/maple/program/template'
import { templateStates } from '@grove/contract/maple/program/template.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ListChecks } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { templates } from './template.api.ts'
import { TemplateStateBadge, useTemplateStateWords } from './template.labels.tsx'
import { templateList } from './template.search.ts'

const TemplatePanel = onDemand(
  () => import('./template.panel.tsx').then((file) => file.TemplatePanel),
  'maple-template',
)
const CreateTemplate = onDemand(
  () => import('./template.form.tsx').then((file) => file.CreateTemplate),
  'maple-template',
)

/** The templates, and beside them one of them or the form for a new one. */
export function TemplateList() {
  const { t } = useLingui()
  const words = useTemplateStateWords()
  return (
    <ResourceList
      list={useResourceList(templates)}
      title={t`Templates`}
      description={t`Steps for many elements, tried on a software card first.`}
      icon={ListChecks}
      columns={useTemplateColumns()}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} template`, other: `#${more} templates` })}`
      }
      searchLabel={t`Search by name`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{
        title: t`No templates yet`,
        text: t`Begin with an example: lock an applet, write an NFC tag, or install an applet and check it. Nothing is sent to a card until you run it.`,
      }}
      create={{ label: t`New template`, form: CreateTemplate }}
      panel={TemplatePanel}
    />
  )
}

function useTemplateColumns(): DataColumn<TemplateItem>[] {
  const { t } = useLingui()
  return [
    nameColumn(templateList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    stateColumn(
      t`State`,
      TemplateStateBadge,
      templateStates.map((state) => ({ state })),
    ),
    {
      id: 'version',
      header: t({ message: 'Version', context: 'of a template' }),
      cell: ({ version }) => version ?? '–',
      phone: 'hidden',
    },
    {
      id: 'stepCount',
      header: t({ message: 'Steps', context: 'of a template' }),
      cell: ({ stepCount }) => stepCount,
      align: 'end',
      phone: 'hidden',
    },
    momentColumn('updatedAt', t`Changed`, { isSecondary: true, phone: 'hidden' }),
  ]
}
