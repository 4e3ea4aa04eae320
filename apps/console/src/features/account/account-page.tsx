import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { infoQuery } from '../../session/session.ts'
import { DateText } from '../../ui/i18n/date-text.tsx'
import { profileQuery } from '../../session/profile.ts'
import { AccountSection } from './account-section.tsx'
import { AccountSkeleton } from './account-skeleton.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { IdentitiesSection } from './identities/identities-section.tsx'
import { LoadFailure } from './load-failure.tsx'
import { PasswordSection } from './password/password-section.tsx'
import { EmailStatus } from './profile/email-status.tsx'
import { ProfileForm } from './profile/profile-form.tsx'
import { SessionsSection } from './sessions/sessions-section.tsx'
import { TokenOnlySection } from './token-only-section.tsx'

type Method = 'account' | 'emailValidation' | 'passwordReset'

interface AccountSectionsProps {
  /** What another service knows about the account, shown after who it is. */
  children: ReactNode
}

/** The account, as far as the service shows it and allows changes. */
export function AccountSections({ children }: AccountSectionsProps) {
  const { data: service, failureCount } = useQuery(infoQuery)
  if (!service && failureCount === 0) return <AccountSkeleton />
  // If a service cannot say what it offers, try: the calls themselves will tell.
  const offers = (method: Method) => !service || (service.methods?.includes(method) ?? false)
  return offers('account') ? (
    <OwnAccount
      canValidate={offers('emailValidation')}
      canReset={offers('passwordReset')}
      hasBrokers={(service?.brokers?.length ?? 0) > 0}
    >
      {children}
    </OwnAccount>
  ) : (
    <>
      <TokenOnlySection />
      {children}
      <AppearanceSection />
    </>
  )
}

interface OwnAccountProps extends AccountSectionsProps {
  canValidate: boolean
  canReset: boolean
  hasBrokers: boolean
}

function OwnAccount({ canValidate, canReset, hasBrokers, children }: OwnAccountProps) {
  const { t } = useLingui()
  const { data: profile, error, refetch } = useQuery(profileQuery)
  if (!profile) {
    return error ? <LoadFailure error={error} onRetry={refetch} /> : <AccountSkeleton />
  }
  return (
    <>
      <AccountSection
        title={t`Profile`}
        description={
          <Trans>
            Created on <DateText value={profile.createdAt} />
          </Trans>
        }
      >
        <EmailStatus profile={profile} canMail={canValidate} />
        <ProfileForm profile={profile} />
      </AccountSection>
      {children}
      <AppearanceSection />
      <PasswordSection profile={profile} canMail={canReset} />
      {(hasBrokers || profile.identities.length > 0) && <IdentitiesSection profile={profile} />}
      <SessionsSection />
    </>
  )
}
