import type { ApprovalAction } from '@grove/contract/maple/access/approval.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { UserCheck } from 'lucide-react'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { approvalQuery } from './key.api.ts'
import styles from './key.module.css'

/** A change that awaits approval: what it is, how many approvals are missing, and until when. */
export function PendingApproval({ id }: { id: string }) {
  const { t } = useLingui()
  const { data } = useQuery(approvalQuery(id))
  const [approval] = data?.items ?? []
  if (!approval) return null
  const { action, input, votes, needed, expiresAt, state } = approval
  const texts: Partial<Record<ApprovalAction, string>> = {
    'element.hsm':
      input.enable === false
        ? t`Moving the keys to the software vault is waiting for approval.`
        : t`Moving the keys to an HSM is waiting for approval.`,
    'key.export': t`Exporting the keys of version ${input.name ?? ''} is waiting for approval.`,
    'element.terminate': t`Terminating the card is waiting for approval.`,
    'token.sign': t`Signing commands with the card’s key for tokens is waiting for approval.`,
  }
  const given = votes.length
  return (
    <div className={styles.notice}>
      <UserCheck size={16} aria-hidden />
      <div>
        <p>
          <strong>{texts[action]}</strong>
        </p>
        <p>
          {state === 'pending' ? (
            <Trans>
              {given} of {needed} have approved. Nothing changes until all have; the request expires{' '}
              <DateText value={expiresAt} isRelative />.
            </Trans>
          ) : (
            t`Approved. The change is being made now.`
          )}{' '}
          <Link to="/dashboard/maple/approvals" search={{ request: id }} preload={false}>
            <Trans>See the request</Trans>
          </Link>
        </p>
      </div>
    </div>
  )
}
