import type { MasterKey } from '@grove/contract/maple/card/key'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { PageHeader } from '../../../../../ui/page/page-header.tsx'
import { SmallTable, type SmallColumn } from '../../../../../ui/table/small-table.tsx'
import { EmptyState } from '../../../../../ui/text/empty-state.tsx'
import { mastersQuery, refreshKeys } from '../key/key.api.ts'

const AddMasterKeys = onDemand(() => import('./master.form.tsx').then((file) => file.AddMasterKeys))

/** The master keys, from which the keys of cards are derived. */
export function MasterKeyPage() {
  const { t } = useLingui()
  const { data } = useSuspenseQuery(mastersQuery())
  const [isAdding, setAdding] = useState(false)
  const add = (
    <button type="button" className="button primary" onClick={() => setAdding(true)}>
      <Plus size={16} aria-hidden />
      {t`Add master keys`}
    </button>
  )
  return (
    <>
      <PageHeader
        title={t`Master keys`}
        description={t`Each card has keys of its own that are derived from these. They stay in the software vault, and Grove never shows them.`}
        action={data.items.length > 0 && add}
      />
      {data.items.length === 0 ? (
        <EmptyState
          icon={KeyRound}
          title={t`No master keys yet`}
          text={t`Add those of your issuer. Keys of cards can then be derived from them when they are imported or rotated.`}
          action={add}
        />
      ) : (
        <MasterKeyTable masters={data.items} />
      )}
      {isAdding && <AddMasterKeys onClose={() => setAdding(false)} />}
    </>
  )
}

function MasterKeyTable({ masters }: { masters: readonly MasterKey[] }) {
  const { t } = useLingui()
  const columns = useMasterColumns()
  return (
    <SmallTable label={t`Master keys`} rows={masters} rowId={({ id }) => id} columns={columns} />
  )
}

function useMasterColumns(): SmallColumn<MasterKey>[] {
  const { t } = useLingui()
  const remove = useRemove()
  return [
    { header: t`Name`, cell: ({ name }) => <bdi>{name}</bdi> },
    {
      header: t`Keys`,
      cell: ({ algorithm, isUsed }) => (
        <>
          {algorithm === 'AES' ? 'AES, SCP03' : '3DES, SCP02'}
          {isUsed && (
            <span className="muted">, {t({ message: 'in use', context: 'master keys' })}</span>
          )}
        </>
      ),
    },
    {
      header: 'KCV',
      longHeader: t`Key check values of ENC, MAC and DEK`,
      cell: ({ checkValues }) => <code>{checkValues.join(' ')}</code>,
    },
    {
      header: t({ message: 'Added', context: 'master keys' }),
      cell: ({ createdAt }) => <DateText value={createdAt} />,
    },
    {
      header: t`Actions`,
      hasActions: true,
      cell: (master) => (
        <button
          type="button"
          className="button quiet icon"
          aria-disabled={master.isUsed}
          {...iconName(
            master.isUsed
              ? t`“${master.name}” cannot be deleted: keys of cards were derived from them.`
              : t`Delete “${master.name}”…`,
          )}
          onClick={() => {
            if (!master.isUsed) void remove(master)
          }}
        >
          <Trash2 size={16} />
        </button>
      ),
    },
  ]
}

function useRemove() {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return ({ id, name }: MasterKey) =>
    confirmed({
      question: {
        title: t`Delete the master keys “${name}”?`,
        text: t`Grove permanently destroys them. Keys of cards can no longer be derived from them here.`,
        action: t`Delete the master keys`,
        isDanger: true,
        typeToConfirm: name,
      },
      change: () => api.maple.delete('/api/maple/se/masters', { query: { id } }),
      done: () => t`The master keys are deleted.`,
      refresh: refreshKeys,
    })
}
