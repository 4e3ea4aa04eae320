import type { Approval } from '@grove/contract/maple/access/approval'
import { maxApprovalCommentLength } from '@grove/contract/maple/access/approval.rules'
import { useLingui } from '@lingui/react/macro'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { Field } from '../../../../ui/field/field.tsx'
import { approvals, decide } from './approval.api.ts'
import { Consequences, useAskedText } from './approval.labels.tsx'
import styles from './approval.module.css'

interface DecideDialogProps {
  approval: Approval
  isApproved: boolean
  onClose: () => void
}

/** Approves or refuses a request. A refusal needs a reason and closes the request. */
export function DecideDialog({ approval, isApproved, onClose }: DecideDialogProps) {
  const { t } = useLingui()
  const asked = useAskedText()
  const isLast = approval.needed - approval.votes.length === 1
  return (
    <ChangeDialog
      title={isApproved ? t`Approve this request?` : t`Refuse this request?`}
      submitLabel={isApproved ? t`Approve` : t`Refuse`}
      form={{
        values: { comment: '' },
        check: ({ comment }) => ({
          comment: isApproved || comment.trim() !== '' ? undefined : t`Say why you refuse.`,
        }),
        submit: ({ comment }) => decide(approval, { isApproved, comment }),
      }}
      done={({ state }) =>
        !isApproved
          ? t`The request is refused.`
          : state === 'approved'
            ? t`Approved. The change is being made now.`
            : t`Approved. Another person must approve it too.`
      }
      refresh={approvals.refresh}
      onClose={onClose}
    >
      {(form) => (
        <>
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
        </>
      )}
    </ChangeDialog>
  )
}
