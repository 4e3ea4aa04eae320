import { isEmail } from '@grove/auth-client'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { createFileRoute, Link, useRouter } from '@tanstack/react-router'
import { useRef, useState, type FormEvent } from 'react'
import { auth } from '../../../app/auth.ts'
import { EmailField } from '../../../app/email-field.tsx'
import { enter, leaveForBroker, requireToken } from '../../../app/enter.ts'
import { FormProblem } from '../../../app/form-problem.tsx'
import { LinkNotice } from '../../../app/link-notice.tsx'
import { OtherWays } from '../../../app/other-ways.tsx'
import { PasswordField } from '../../../app/password-field.tsx'
import { LoginNoticeText, OfflineNotice } from '../../../app/sign-in-notice.tsx'
import { useSignInMethods } from '../../../app/sign-in-methods.ts'
import { rejectPassword } from '../../../app/sign-in-problem.ts'
import { stage } from '../../../app/stage.ts'
import { useTypedEmail } from '../../../app/typed-email.ts'
import { useAttempt } from '../../../app/use-attempt.ts'
import { useOffline } from '../../../app/use-offline.ts'
import { leaveWhenSignedIn, loginSearch } from '../../../app/visit-search.ts'
import { VisitorPage } from '../../../app/visitor-page.tsx'

export const Route = createFileRoute('/_app/login/')({
  // In the entry: the page that most visits begin with waits for no second chunk.
  codeSplitGroupings: [],
  validateSearch: loginSearch,
  beforeLoad: leaveWhenSignedIn,
  staticData: { title: msg`Sign in` },
  component: LoginPage,
})

function LoginPage() {
  const { t } = useLingui()
  const { from, notice } = Route.useSearch()
  const router = useRouter()
  const methods = useSignInMethods()
  const isOffline = useOffline()
  const { attempt, running, problem } = useAttempt()
  const [email, setEmail] = useTypedEmail()
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const [focused] = useState(email === '' ? 'email' : 'password')

  const emailError = isEmail(email.trim())
    ? undefined
    : email === ''
      ? t`Enter your email.`
      : t`This is no email address. It should look like name@example.com.`
  const passwordError = password === '' ? t`Enter your password.` : undefined

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (emailError || passwordError) {
      form.current
        ?.querySelector<HTMLElement>(`[name=${emailError ? 'email' : 'password'}]`)
        ?.focus()
      return
    }
    if (isOffline) return
    const body = { email: email.trim(), password, provider: stage.default.auth_api_provider }
    void attempt('password', async () => {
      requireToken(await auth.signIn(body).catch(rejectPassword))
      await enter(router, from)
    })
  }

  return (
    <VisitorPage>
      <div className="card form">
        <form ref={form} className="form" noValidate onSubmit={onSubmit}>
          <h1>
            <Trans>Sign in</Trans>
          </h1>
          {notice && <LoginNoticeText notice={notice} />}
          <LinkNotice />
          <OfflineNotice isOffline={isOffline} />
          <FormProblem problem={problem} />
          {methods.offers('password') && (
            <>
              <EmailField
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is all the page is for
                autoFocus={focused === 'email'}
                value={email}
                onChange={(event) => setEmail(event.target.value)}
                error={isChecked ? emailError : undefined}
              />
              <PasswordField
                autoComplete="current-password"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the email is there already
                autoFocus={focused === 'password'}
                value={password}
                onChange={(event) => setPassword(event.target.value)}
                error={isChecked ? passwordError : undefined}
              />
              <button
                type="submit"
                className="button primary wide"
                aria-disabled={isOffline || running !== undefined}
              >
                {running === 'password' ? <Trans>Signing in…</Trans> : <Trans>Sign in</Trans>}
              </button>
            </>
          )}
        </form>
        <p className="form-links muted">
          {methods.offers('signUp') && (
            <span>
              <Trans>
                New here?{' '}
                <Link to="/signup" search={{ from }}>
                  Create an account
                </Link>
              </Trans>
            </span>
          )}
          {methods.offers('passwordReset') && (
            <Link to="/login/forgotten" search={{ from }}>
              <Trans>Forgotten your password?</Trans>
            </Link>
          )}
        </p>
        <OtherWays
          methods={methods}
          from={from}
          running={running}
          isOffline={isOffline}
          onBroker={(broker) => void attempt('broker', () => leaveForBroker(broker.id, from))}
        />
      </div>
    </VisitorPage>
  )
}
