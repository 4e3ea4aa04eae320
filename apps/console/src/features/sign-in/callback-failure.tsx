import type { ExternalLoginError } from '@grove/auth-client'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'
import { lastBroker, leaveForBroker } from './complete-sign-in.ts'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { homePage, isSignedIn } from '../../session/session.ts'
import { useAttempt } from './use-attempt.ts'
import type { LoginOutcome } from './complete-external-login.ts'

export type FailedLogin = Extract<LoginOutcome, { kind: 'refused' | 'failed' }>

const incomplete = msg`This page completes a sign-in with an identity provider, but the URL contains none.`
const texts: Partial<Record<ExternalLoginError['code'], MessageDescriptor>> = {
  state_missing: incomplete,
  code_missing: incomplete,
  state_unknown: msg`This tab did not start this sign-in, so it is not trusted.`,
  state_replayed: msg`This sign-in has already been used. Each one works once.`,
  state_expired: msg`This sign-in took more than ten minutes, so it is no longer valid.`,
  state_foreign: msg`This sign-in was started for another service or stage.`,
  nonce_mismatch: msg`The response belongs to another sign-in, so it was rejected. If this happens again, contact an administrator.`,
}

/** Why an external login failed, and what to do next. */
export function CallbackFailure({ failure }: { failure: FailedLogin }) {
  const { t, i18n } = useLingui()
  const router = useRouter()
  const { attempt, running, problem } = useAttempt()
  const { returnTo } = failure
  const broker = lastBroker()
  const reason = () => {
    if (failure.kind === 'failed') return problemText(failure.problem, i18n)
    const { code, providerError } = failure.error
    const text = texts[code]
    return text ? i18n._(text) : t`The identity provider refused the sign-in (${providerError}).`
  }
  return (
    <div className="notice" role="alert">
      <h1>
        <Trans>The sign-in did not work</Trans>
      </h1>
      <p>{reason()}</p>
      {failure.kind === 'failed' && moreOf(failure.problem)}
      <FormProblem problem={problem} />
      <div className="actions">
        {isSignedIn() ? (
          <button
            type="button"
            className="button primary"
            onClick={() => router.history.replace(returnTo ?? homePage())}
          >
            <Trans>Continue with the current session</Trans>
          </button>
        ) : (
          <>
            {broker !== undefined && (
              <button
                type="button"
                className="button primary"
                aria-disabled={running !== undefined}
                onClick={() => void attempt('again', () => leaveForBroker(broker, returnTo))}
              >
                <Trans>Try again</Trans>
              </button>
            )}
            <Link
              to="/login"
              search={{ from: returnTo }}
              replace
              className={broker === undefined ? 'button primary' : 'button'}
            >
              <Trans>Back to sign in</Trans>
            </Link>
          </>
        )}
      </div>
    </div>
  )
}
