import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { CreditCard } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { cards } from './software-card.api.ts'
import { CardStateBadge, useFaultTexts, useKindWords } from './software-card.labels.tsx'
import { cardList } from './software-card.search.ts'

const CardPanel = onDemand(() => import('./software-card.panel.tsx').then((file) => file.CardPanel))
const CreateCard = onDemand(() =>
  import('./software-card.form.tsx').then((file) => file.CreateCard),
)

/** The software cards, and beside them one or the form for a new one. */
export function CardList() {
  const { t } = useLingui()
  const columns = useCardColumns()
  return (
    <ResourceList
      list={useResourceList(cards)}
      title={t`Software cards`}
      description={t`Cards for learning and testing. Their secure channels and registry are real; byte code is not run.`}
      icon={CreditCard}
      columns={columns}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} software card`, other: `#${more} software cards` })}`
      }
      searchLabel={t`Search by name`}
      filters={[]}
      empty={{
        title: t`Create your first card`,
        text: t`No chip is at risk: open a session, install an applet, break the card on purpose and restore it.`,
      }}
      create={{ label: t`New software card`, form: CreateCard }}
      panel={CardPanel}
      isEditable
    />
  )
}

function useCardColumns(): DataColumn<SoftwareCard>[] {
  const { t } = useLingui()
  const words = useKindWords()
  const faultTexts = useFaultTexts()
  return [
    nameColumn(cardList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    { id: 'kind', header: t`Kind`, isSecondary: true, cell: ({ kind }) => words[kind] },
    stateColumn(t`State`, CardStateBadge, [{ lifeCycle: 'initialized' }]),
    {
      id: 'faults',
      header: t`Faults`,
      cell: ({ faults }) => faultTexts(faults).join(', ') || '–',
    },
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
