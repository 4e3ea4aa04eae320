import type { Profile } from '@grove/contract/auth/profile'
import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { stage } from '../../../session/stage.ts'
import { AccountSection } from '../account-section.tsx'
import { MailButton } from '../mail-button.tsx'
import { PasswordForm } from './password-form.tsx'

/** Changes the password, or sets the first one for an account without. */
export function PasswordSection({ profile, canMail }: { profile: Profile; canMail: boolean }) {
  const { t } = useLingui()
  const { email, hasPassword } = profile
  const sendReset = (address: string) =>
    api.auth.post('/api/send/resetPassword', {
      body: { email: address, provider: stage.default.auth_api_provider },
    })
  return (
    <AccountSection
      title={t`Password`}
      description={
        hasPassword && <Trans>A new password signs you out everywhere else at once.</Trans>
      }
    >
      {hasPassword ? (
        <PasswordForm email={email} />
      ) : (
        <p>
          <Trans>
            This account has no password: you sign in with a linked account, listed below.
          </Trans>{' '}
          {email === null && <Trans>Without an email it cannot have one.</Trans>}
        </p>
      )}
      {!hasPassword && email !== null && canMail && (
        <MailButton
          label={t`Email me a link to set one`}
          send={() => sendReset(email)}
          sent={
            <Trans>
              We sent an email to {email}. Its link works for an hour; setting the password signs
              you out everywhere.
            </Trans>
          }
        />
      )}
    </AccountSection>
  )
}
