import type { CardSnapshot } from '@grove/contract/maple/card/software-card'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { cards, snapshotsQuery } from './software-card.api.ts'
import styles from './software-card.module.css'

/** The snapshots of a card, each with actions to restore or delete it. */
export function CardSnapshots({ id }: { id: string }) {
  const { data } = useQuery(snapshotsQuery(id))
  if (!data) return null
  if (data.items.length === 0)
    return (
      <p className="muted">
        <Trans>None yet. Save one before a risky step.</Trans>
      </p>
    )
  return (
    <ul className={styles.snapshots}>
      {data.items.map((snapshot) => (
        <Snapshot key={snapshot.id} snapshot={snapshot} />
      ))}
    </ul>
  )
}

function Snapshot({ snapshot }: { snapshot: CardSnapshot }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { id, name, createdAt } = snapshot
  const restore = () =>
    confirmed({
      question: {
        title: t`Restore “${name}”?`,
        text: t`The card returns to its state at that time, with the keys that it had, and without faults. It loses power: an open session has to reopen its secure channel.`,
        action: t`Restore the card`,
      },
      change: () =>
        api.maple.post('/api/maple/software_cards/restore', { body: { snapshotId: id } }),
      done: () => t`The card is restored.`,
      refresh: cards.refresh,
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete the snapshot “${name}”?`,
        text: t`The card stays unchanged.`,
        action: t`Delete the snapshot`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/software_cards/snapshots', { query: { id } }),
      done: () => t`The snapshot is deleted.`,
      refresh: cards.refresh,
    })
  return (
    <li>
      <span>
        {name}{' '}
        <span className="muted">
          · <DateText value={createdAt} isRelative />
        </span>
      </span>
      <button
        type="button"
        className="button"
        aria-label={t`Restore “${name}”…`}
        onClick={() => void restore()}
      >
        <Trans>Restore…</Trans>
      </button>
      <button
        type="button"
        className="button quiet"
        aria-label={t`Delete “${name}”…`}
        onClick={() => void remove()}
      >
        <Trans>Delete…</Trans>
      </button>
    </li>
  )
}
