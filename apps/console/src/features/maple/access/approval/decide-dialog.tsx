import type { Approval } from '@grove/contract/maple/access/approval'
import { maxApprovalCommentLength } from '@grove/contract/maple/access/approval.rules'
import { useLingui } from '@lingui/react/macro'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../ui/field/field.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { approvals, decide } from './approval.api.ts'
import { Consequences, useAskedText } from './approval.labels.tsx'
import styles from './approval.module.css'

interface DecideDialogProps {
  approval: Approval
  isApproved: boolean
  onClose: () => void
}

/** Approves or refuses a request. A refusal says why; it ends the request. */
export function DecideDialog({ approval, isApproved, onClose }: DecideDialogProps) {
  const { t } = useLingui()
  const asked = useAskedText()
  const isLast = approval.needed - approval.votes.length === 1
  const form = useForm({
    values: { comment: '' },
    check: ({ comment }) => ({
      comment: isApproved || comment.trim() !== '' ? undefined : t`Say why you refuse.`,
    }),
    submit: ({ comment }) => decide(approval, { isApproved, comment }),
    onSaved: (saved) => {
      notify({
        text: !isApproved
          ? t`The request is refused.`
          : saved.state === 'approved'
            ? t`Approved. The change is being made now.`
            : t`Approved. Another person must approve it too.`,
      })
      void approvals.refresh(saved)
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={isApproved ? t`Approve this request?` : t`Refuse this request?`}
      form={form}
      submitLabel={isApproved ? t`Approve` : t`Refuse`}
      onClose={onClose}
    >
      <p>
        <strong>{asked(approval)}</strong>
      </p>
      {isApproved ? (
        <>
          <ul className={styles.consequences}>
            <Consequences {...approval} />
          </ul>
          <p>
            {isLast
              ? t`Yours is the last approval: the change starts immediately.`
              : t`After yours, one more person must approve it.`}
          </p>
        </>
      ) : (
        <p>
          {approval.action === 'rollout.start'
            ? t`One refusal ends the request. The rollout does not start.`
            : t`One refusal ends the request. Nothing changes on the card.`}
        </p>
      )}
      <Field
        label={isApproved ? t`Comment (optional)` : t`Reason`}
        maxLength={maxApprovalCommentLength}
        autoComplete="off"
        {...form.input('comment')}
      />
    </FormDialog>
  )
}
