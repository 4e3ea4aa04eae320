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
import { EmptyState } from '../../../../../ui/text/empty-state.tsx'
import { mastersQuery, refreshKeys } from '../key/key.api.ts'
import styles from './master.module.css'

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
  const remove = useRemove()
  return (
    <table className={styles.masters} aria-label={t`Master keys`}>
      <thead>
        <tr>
          <th scope="col">{t`Name`}</th>
          <th scope="col">{t`Keys`}</th>
          <th scope="col">
            <abbr title={t`Key check values of ENC, MAC and DEK`}>KCV</abbr>
          </th>
          <th scope="col">{t({ message: 'Added', context: 'master keys' })}</th>
          <th scope="col">
            <span className="visually-hidden">{t`Actions`}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {masters.map((master) => (
          <tr key={master.id}>
            <th scope="row">
              <bdi>{master.name}</bdi>
            </th>
            <td>
              {master.algorithm === 'AES' ? 'AES, SCP03' : '3DES, SCP02'}
              {master.isUsed && (
                <span className="muted">, {t({ message: 'in use', context: 'master keys' })}</span>
              )}
            </td>
            <td>
              <code>{master.checkValues.join(' ')}</code>
            </td>
            <td>
              <DateText value={master.createdAt} />
            </td>
            <td>
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
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
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
