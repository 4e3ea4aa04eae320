import type { Profile } from '@grove/contract/auth/profile'
import { Trans, useLingui } from '@lingui/react/macro'
import { auth } from '../../../session/auth.ts'
import { signInProblem } from '../../../session/sign-in-problem.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { MailButton } from '../mail-button.tsx'
import styles from './profile.module.css'

/** The email address of the account, and whether it is confirmed. */
export function EmailStatus({ profile, canMail }: { profile: Profile; canMail: boolean }) {
  const { t } = useLingui()
  const { email, emailVerifiedAt } = profile
  const sendLink = async (address: string) => {
    try {
      await auth.sendEmailValidation(address)
    } catch (reason) {
      throw signInProblem(reason)
    }
  }
  return (
    <div className={styles.email}>
      <h3>
        <Trans>Email</Trans>
      </h3>
      {email === null ? (
        <p className="muted">
          <Trans>None: the account that you sign in with has not confirmed an address.</Trans>
        </p>
      ) : (
        <p className={styles.address}>
          <span>{email}</span>
          {emailVerifiedAt === null ? (
            <StateBadge kind="warning" text={t`Not validated`} />
          ) : (
            <StateBadge kind="good" text={t`Validated`} />
          )}
        </p>
      )}
      {email !== null && emailVerifiedAt === null && canMail && (
        <>
          <p className="muted">
            <Trans>
              To confirm that this address is yours, open the link in the email that we send.
            </Trans>
          </p>
          <MailButton
            label={t`Email me the link`}
            send={() => sendLink(email)}
            sent={
              <Trans>
                We sent an email to {email}. Its link works for 24 hours; earlier links no longer
                work.
              </Trans>
            }
          />
        </>
      )}
    </div>
  )
}
