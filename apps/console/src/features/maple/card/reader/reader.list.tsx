import type { Reader } from '@grove/contract/maple/card/reader'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { CreditCard } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { Person } from '../../../../people/person.tsx'
import { command, readers } from './reader.api.ts'
import { CardText, ReaderStateBadge } from './reader.labels.tsx'
import styles from './reader.module.css'
import { readerList } from './reader.search.ts'

const ReaderPanel = onDemand(() => import('./reader.panel.tsx').then((file) => file.ReaderPanel))
const ConnectReader = onDemand(() => import('./reader.form.tsx').then((file) => file.ConnectReader))

/** The card readers on people's machines, each with its card. */
export function ReaderList() {
  const { t } = useLingui()
  const columns = useReaderColumns()
  return (
    <ResourceList
      list={useResourceList(readers)}
      title={t`Card readers`}
      description={t`PC/SC readers of your machines. While a reader is connected, sessions can reach its card.`}
      icon={CreditCard}
      columns={columns}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} card reader`, other: `#${more} card readers` })}`
      }
      searchLabel={t`Search by name`}
      filters={[]}
      empty={{
        title: t`Connect your card reader`,
        text: (
          <>
            <Trans>
              A small program on the machine with the reader connects it to Grove. Create a pairing
              code here, then start the program with it:
            </Trans>
            <code className={styles.sample}>{command('--code …')}</code>
          </>
        ),
      }}
      create={{ label: t`New reader`, form: ConnectReader }}
      panel={ReaderPanel}
    />
  )
}

function useReaderColumns(): DataColumn<Reader>[] {
  const { t } = useLingui()
  return [
    nameColumn(readerList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    stateColumn(t`State`, ReaderStateBadge, [
      { state: 'connected' },
      { state: 'waiting' },
      { state: 'away' },
    ]),
    { id: 'card', header: t`Card`, cell: (reader) => <CardText {...reader} /> },
    {
      id: 'place',
      header: t`Machine`,
      isSecondary: true,
      cell: ({ host }) => <bdi>{host ?? '–'}</bdi>,
    },
    momentColumn('connectedAt', t`Connected since`, { isSecondary: true, phone: 'hidden' }),
    {
      id: 'addedBy',
      header: t`Added by`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ addedBy }) => (addedBy === null ? '–' : <Person id={addedBy} />),
    },
  ]
}
