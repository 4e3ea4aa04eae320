import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import {
  maxCardNameLength,
  maxSnapshotNameLength,
} from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { cards } from './software-card.api.ts'

interface Props {
  card: SoftwareCard
  onClose: () => void
}

/** Copies a card under a new name. */
export function NameCopy({ card: { id, name }, onClose }: Props) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Copy the card`}
      submitLabel={t`Copy`}
      fields={{ name: useNameField(maxCardNameLength) }}
      form={{
        values: { name },
        submit: (body) => api.maple.post('/api/maple/software_cards/copy', { query: { id }, body }),
      }}
      done={() => t`The copy is ready.`}
      refresh={() => cards.refresh()}
      onClose={onClose}
    />
  )
}

/** Takes a snapshot of a card. */
export function NameSnapshot({ card: { id }, onClose }: Props) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Save a snapshot`}
      submitLabel={t`Save`}
      fields={{ name: useNameField(maxSnapshotNameLength) }}
      form={{
        values: { name: '' },
        submit: (body) =>
          api.maple.post('/api/maple/software_cards/snapshots', { query: { id }, body }),
      }}
      done={() => t`The snapshot is saved.`}
      refresh={() => cards.refresh()}
      onClose={onClose}
    />
  )
}
