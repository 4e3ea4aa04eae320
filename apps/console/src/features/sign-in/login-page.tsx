import { isEmail } from '@grove/auth-client'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { useRef, useState, type FormEvent } from 'react'
import { auth } from '../../session/auth.ts'
import { EmailField } from './email-field.tsx'
import { completeSignIn, leaveForBroker, requireToken } from './complete-sign-in.ts'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { LinkNotice } from './link-notice.tsx'
import { AlternativeMethods } from './alternative-methods.tsx'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { LoginNoticeText, OfflineNotice } from './sign-in-notice.tsx'
import { useSignInMethods } from '../../session/sign-in-methods.ts'
import { rejectPassword } from '../../session/sign-in-problem.ts'
import { stage } from '../../session/stage.ts'
import { useTypedEmail } from '../../session/typed-email.ts'
import { useAttempt } from './use-attempt.ts'
import { useOffline } from './use-offline.ts'
import type { LoginNotice } from './visit-search.ts'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'

interface LoginPageProps {
  /** The page to return to. */
  from: string | undefined
  notice: LoginNotice | undefined
}

export function LoginPage({ from, notice }: LoginPageProps) {
  const { t } = useLingui()
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
      await completeSignIn(router, from)
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
        <AlternativeMethods
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
