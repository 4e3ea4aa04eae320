import { useSession, useTokenDetails, type TokenDetailsResult } from '@grove/auth-client/react'
import { Trans, useLingui } from '@lingui/react/macro'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { AccountSection } from '../account-section.tsx'
import { AccessToken } from './access-token.tsx'
import { Fact, Facts } from './facts.tsx'
import { ServiceCheck } from './service-check.tsx'
import { TokenFacts } from './token-facts.tsx'
import { TokenMoment } from './token-moment.tsx'
import { TimeLeft } from './time-left.tsx'

/** What the access token says, and the token itself. */
export function TokenSections() {
  const { t } = useLingui()
  const state = useSession()
  const details = useTokenDetails()
  // The dashboard's guard is about to leave the page.
  if (state.status === 'signedOut') return null
  const { session } = state
  // The service's own times: the payload's `iat` and `exp`.
  const issued = session.receivedAt + session.skew
  const ends = session.expiresAt + session.skew
  return (
    <>
      <AccountSection
        title={t`State`}
        description={
          <Trans>Your browser verifies the signature with the service’s public key.</Trans>
        }
      >
        <Facts>
          <Fact label={t`Valid`} field="is_valid">
            <Validity details={details} hasEnded={state.status === 'expired'} />
          </Fact>
          <Fact label={t`Expired`} field="is_expired">
            {details.isPending ? (
              <span className="skeleton" />
            ) : details.is_expired ? (
              t`Yes`
            ) : (
              t`No`
            )}
          </Fact>
          <Fact label={t`Issued`}>
            <TokenMoment at={issued} />
          </Fact>
          <Fact label={t`Expires`} field="exp">
            {Number.isFinite(ends) ? (
              <>
                <TokenMoment at={ends} /> <TimeLeft until={session.expiresAt} />
              </>
            ) : (
              <Trans>The token does not expire.</Trans>
            )}
          </Fact>
          {state.status === 'signedIn' && (
            <Fact label={t`Checked by the service`}>
              <ServiceCheck key={session.token.accessToken} details={details} at={issued} />
            </Fact>
          )}
        </Facts>
      </AccountSection>
      <AccountSection
        title={t`About you`}
        description={<Trans>What each request from this console reveals about you.</Trans>}
      >
        <TokenFacts details={details} />
      </AccountSection>
      <AccountSection
        title={t`Access token`}
        description={
          <Trans>
            Send it as a bearer token to try a call by hand. Until it expires, anyone who has it can
            act as you: never share it.
          </Trans>
        }
      >
        <AccessToken key={session.token.accessToken} value={session.token.accessToken} />
      </AccountSection>
    </>
  )
}

function Validity({ details, hasEnded }: { details: TokenDetailsResult; hasEnded: boolean }) {
  const { t } = useLingui()
  if (details.isPending) return <span className="skeleton" />
  if (details.is_valid) return <StateBadge kind="good" text={t`Yes`} />
  return hasEnded ? (
    <>
      <StateBadge kind="bad" text={t`No, it has expired`} />
      <p className="muted">
        <Trans>The next call requests a new one.</Trans>
      </p>
    </>
  ) : (
    <>
      <StateBadge kind="warning" text={t`No, it is not verified`} />
      <p className="muted">
        <Trans>
          The public keys cannot be reached, or another service issued the token. Until it is
          verified, it counts as expired.
        </Trans>
      </p>
    </>
  )
}
