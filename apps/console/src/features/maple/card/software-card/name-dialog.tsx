import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import {
  maxCardNameLength,
  maxSnapshotNameLength,
} from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../ui/field/field.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { cards } from './software-card.api.ts'

interface Props {
  card: SoftwareCard
  onClose: () => void
}

/** Copies a card under a name. */
export function NameCopy({ card, onClose }: Props) {
  const { t } = useLingui()
  return (
    <NameDialog
      title={t`Copy the card`}
      submitLabel={t`Copy`}
      maxLength={maxCardNameLength}
      initial={card.name}
      done={t`The copy is ready.`}
      submit={(name) =>
        api.maple.post('/api/maple/software_cards/copy', { query: { id: card.id }, body: { name } })
      }
      onClose={onClose}
    />
  )
}

/** Keeps what a card is like now. */
export function NameSnapshot({ card, onClose }: Props) {
  const { t } = useLingui()
  return (
    <NameDialog
      title={t`Save a snapshot`}
      submitLabel={t`Save`}
      maxLength={maxSnapshotNameLength}
      initial=""
      done={t`The snapshot is saved.`}
      submit={(name) =>
        api.maple.post('/api/maple/software_cards/snapshots', {
          query: { id: card.id },
          body: { name },
        })
      }
      onClose={onClose}
    />
  )
}

interface NameDialogProps {
  title: string
  submitLabel: string
  maxLength: number
  initial: string
  done: string
  submit: (name: string) => Promise<unknown>
  onClose: () => void
}

function NameDialog({ title, submitLabel, maxLength, initial, done, ...props }: NameDialogProps) {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  const form = useForm({
    values: { name: initial },
    check: ({ name }) => ({ name: nameProblem(name) }),
    submit: ({ name }) => props.submit(name),
    onSaved: () => {
      void cards.refresh()
      notify({ text: done })
      props.onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog title={title} form={form} submitLabel={submitLabel} onClose={props.onClose}>
      <Field label={t`Name`} maxLength={maxLength} autoComplete="off" {...form.input('name')} />
    </FormDialog>
  )
}
