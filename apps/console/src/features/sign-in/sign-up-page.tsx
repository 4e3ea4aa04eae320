import { isEmail, isPassword } from '@grove/auth-client'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { fieldErrors } from '../../api/field-errors.ts'
import { auth } from '../../session/auth.ts'
import { EmailField } from './email-field.tsx'
import { completeSignIn, requireToken } from './complete-sign-in.ts'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../ui/field/password-rules.tsx'
import { RoleChoice, type Role } from './role-choice.tsx'
import { useSignInMethods } from '../../session/sign-in-methods.ts'
import { Notice, OfflineNotice } from './sign-in-notice.tsx'
import { stage } from '../../session/stage.ts'
import { notifyNextPage } from '../../ui/toast/notify.ts'
import { useTypedEmail } from '../../session/typed-email.ts'
import { useAttempt } from './use-attempt.ts'
import { useOffline } from './use-offline.ts'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'

export function SignUpPage({ from }: { from: string | undefined }) {
  const { t, i18n } = useLingui()
  const router = useRouter()
  const { isKnown, offers } = useSignInMethods()
  const isOffline = useOffline()
  const { attempt, running, problem } = useAttempt()
  const [email, setEmail] = useTypedEmail()
  const [password, setPassword] = useState('')
  const [role, setRole] = useState<Role>('DEVELOPER')
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  const emailError = isEmail(email.trim())
    ? undefined
    : t`Enter an email address, such as name@example.com.`
  const passwordError = isPassword(password) ? undefined : t`The password must meet every rule.`
  const refused = fieldErrors(problem, i18n)
  const isFieldRefused = ['email', 'password', 'role'].some((field) => field in refused)

  useEffect(() => {
    // What was refused is read out with its field.
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problem])

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
    const address = email.trim()
    const provider = stage.default.auth_api_provider
    const body = { email: address, password, provider, locale: currentLocale(), role }
    void attempt('signUp', async () => {
      requireToken(await auth.signUp(body))
      if (offers('emailValidation'))
        notifyNextPage(
          t`A mail to ${address} is on its way: confirm the address by the link in it.`,
        )
      await completeSignIn(router, from)
    })
  }

  if (isKnown && !offers('signUp'))
    return (
      <VisitorPage>
        <div className="card form">
          <h1>
            <Trans>Create an account</Trans>
          </h1>
          <Notice>
            <Trans>Nobody can sign up here. Ask an administrator for an account.</Trans>
          </Notice>
          <Link to="/login" search={{ from }}>
            <Trans>Back to sign in</Trans>
          </Link>
        </div>
      </VisitorPage>
    )

  return (
    <VisitorPage>
      <form ref={form} className="card form" noValidate onSubmit={onSubmit}>
        <h1>
          <Trans>Create an account</Trans>
        </h1>
        <OfflineNotice isOffline={isOffline} />
        <FormProblem problem={isFieldRefused ? undefined : problem} />
        <EmailField
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is all the page is for
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={isChecked ? (emailError ?? refused['email']) : undefined}
        />
        <PasswordField
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isChecked ? (passwordError ?? refused['password']) : undefined}
          hint={<PasswordRulesList password={password} />}
        />
        <RoleChoice value={role} onChange={setRole} error={refused['role']} />
        <button
          type="submit"
          className="button primary wide"
          aria-disabled={isOffline || running !== undefined}
        >
          {running ? <Trans>Creating…</Trans> : <Trans>Create an account</Trans>}
        </button>
        <p className="muted">
          <Trans>
            Have an account?{' '}
            <Link to="/login" search={{ from }}>
              Sign in
            </Link>
          </Trans>
        </p>
      </form>
    </VisitorPage>
  )
}
