import type { AdminProvider, Transfer } from '@grove/contract/cedar/provider-admin'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { usePeople } from '../../../people/use-people.ts'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { providers } from './provider.api.ts'
import styles from './provider-users.module.css'

const path = '/api/cedar/apps/transfer'

export const refreshTransfers = () => Promise.all([providers.refresh(), api.cedar.invalidate(path)])

/** The transfers of the last day, each of which can be undone; nothing if there are none. */
export function ProviderTransfers({ provider }: { provider: AdminProvider }) {
  const id = useId()
  const { data } = useQuery(api.cedar.query(path, { query: { provider: provider.id } }))
  if (!data || data.items.length === 0) return null
  return (
    <section className={styles.users} aria-labelledby={id}>
      <h3 id={id}>
        <Trans>Transfers that can be undone</Trans>
      </h3>
      <ul>
        {data.items.map((transfer) => (
          <TransferRow key={transfer.id} transfer={transfer} />
        ))}
      </ul>
    </section>
  )
}

function TransferRow({ transfer }: { transfer: Transfer }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { id, userId, products, returnable } = transfer
  const who = usePeople([userId], { isWithViewer: true }).emailOf(userId) ?? userId
  const apps = plural(returnable, { one: '# app goes back', other: '# apps go back' })
  const stays = products - returnable
  const others = plural(stays, {
    one: '# app has been deleted or moved, and stays unchanged.',
    other: '# apps have been deleted or moved, and stay unchanged.',
  })
  const undo = () =>
    confirmed({
      question: {
        title: t`Undo this transfer?`,
        text:
          t`${apps} to ${who}, with versions, links and files.` + (stays > 0 ? ` ${others}` : ''),
        action: t`Undo the transfer`,
      },
      change: () => api.cedar.post(`${path}/{id}/undo`, { params: { id } }),
      done: ({ productIds }) =>
        t`${plural(productIds.length, { one: '# app is returned.', other: '# apps are returned.' })}`,
      refresh: refreshTransfers,
    })
  return (
    <li>
      <span>
        {t`${plural(products, { one: '# app', other: '# apps' })}`} ·{' '}
        <span className="muted">
          <Trans>
            can be undone until <DateText value={transfer.undoUntil} />
          </Trans>
        </span>
      </span>
      <button type="button" className="button small" onClick={() => void undo()}>
        <Trans>Undo…</Trans>
      </button>
    </li>
  )
}
