import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { auth } from '../../session/auth.ts'
import { useSignInMethods } from '../../session/sign-in-methods.ts'
import { rejectPassword } from '../../session/sign-in-problem.ts'
import { stage } from '../../session/stage.ts'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'
import { AlternativeMethods } from './alternative-methods.tsx'
import { completeSignIn, leaveForBroker, requireToken } from './complete-sign-in.ts'
import { useEarlyForm, useTakeOver } from './early-form.ts'
import { EmailField, useEmailProblem } from './email-field.tsx'
import { LinkNotice } from './link-notice.tsx'
import { SignInFields } from './sign-in-fields.tsx'
import { LoginNoticeText, OfflineNotice } from './sign-in-notice.tsx'
import { useAttempt } from './use-attempt.ts'
import { useSignInElsewhere } from './use-sign-in-elsewhere.ts'
import { useSignInForm } from './use-sign-in-form.ts'
import type { LoginNotice } from './visit-search.ts'

interface LoginPageProps {
  /** The page to return to. */
  from: string | undefined
  notice: LoginNotice | undefined
}

export function LoginPage({ from, notice }: LoginPageProps) {
  const { t } = useLingui()
  const router = useRouter()
  const methods = useSignInMethods()
  const { attempt, running, problem } = useAttempt()
  const { values, focused } = useEarlyForm()
  const emailProblem = useEmailProblem()
  const form = useSignInForm({
    values,
    check: ({ email, password }) => ({
      email: email === '' ? t`Enter your email.` : emailProblem(email),
      password: password === '' ? t`Enter your password.` : undefined,
    }),
    isBlocked: running !== undefined,
    submit: async ({ email, password }, signal) => {
      const body = { email: email.trim(), password, provider: stage.default.auth_api_provider }
      requireToken(await auth.signIn(body, { signal }).catch(rejectPassword))
      await completeSignIn(router, from)
    },
  })

  useTakeOver(form)
  useSignInElsewhere(from, form.status === 'saving' || running !== undefined)

  return (
    <VisitorPage>
      <div className="card form">
        <h1>
          <Trans>Sign in</Trans>
        </h1>
        {notice && <LoginNoticeText notice={notice} />}
        <LinkNotice />
        {methods.offers('password') ? (
          <SignInFields
            form={form}
            problem={problem}
            action={<Trans>Sign in</Trans>}
            pending={<Trans>Signing in…</Trans>}
          >
            <EmailField
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is the purpose of the page
              autoFocus={focused === 'email'}
              {...form.input('email')}
            />
            <PasswordField
              autoComplete="current-password"
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the email is there already
              autoFocus={focused === 'password'}
              {...form.input('password')}
            />
          </SignInFields>
        ) : (
          <>
            <OfflineNotice isOffline={form.isOffline} />
            <FormProblem problem={problem} />
          </>
        )}
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
          isBlocked={form.isBlocked}
          onBroker={(broker) => void attempt('broker', () => leaveForBroker(broker.id, from))}
        />
      </div>
    </VisitorPage>
  )
}
