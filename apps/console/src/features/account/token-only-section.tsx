import { useTokenDetails } from '@grove/auth-client/react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../ui/link/link.tsx'
import { AccountSection } from './account-section.tsx'
import { TokenFacts } from './details/token-facts.tsx'

/** An account managed elsewhere: all that is known about it is in the token. */
export function TokenOnlySection() {
  const { t } = useLingui()
  const details = useTokenDetails()
  return (
    <AccountSection
      title={t`Profile`}
      description={
        <Trans>
          The authentication service of this stage manages its own accounts. This page shows what
          your access token contains.
        </Trans>
      }
    >
      <TokenFacts details={details} />
      <p>
        <Link to="/dashboard/cedar/account/details" prefetch="none">
          <Trans>All details of the token</Trans>
        </Link>
      </p>
    </AccountSection>
  )
}
