import { isEmail, isPassword } from '@grove/auth-client'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useRef, useState, type FormEvent } from 'react'
import { auth } from '../../app/auth.ts'
import { Field } from '../../app/field.tsx'
import { FormProblem } from '../../app/form-problem.tsx'
import { currentLocale } from '../../app/locale.ts'
import { PasswordField } from '../../app/password-field.tsx'
import { PasswordRulesList } from '../../app/password-rules.tsx'
import { RoleChoice, type Role } from '../../app/role-choice.tsx'
import { stage } from '../../app/stage.ts'
import { useSignIn } from '../../app/use-sign-in.ts'
import { leaveWhenSignedIn, visitSearch } from '../../app/visit-search.ts'
import { VisitorPage } from '../../app/visitor-page.tsx'

export const Route = createFileRoute('/_app/signup')({
  validateSearch: visitSearch,
  beforeLoad: leaveWhenSignedIn,
  staticData: { title: msg`Create an account` },
  component: SignupPage,
})

function SignupPage() {
  const { t } = useLingui()
  const search = Route.useSearch()
  const { submit, isSubmitting, problem } = useSignIn(auth.signUp, search.from)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState<Role>('DEVELOPER')
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  const emailError = isEmail(email.trim())
    ? undefined
    : t`Enter an email address, such as name@example.com.`
  const passwordError = isPassword(password) ? undefined : t`The password must meet every rule.`

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (emailError || passwordError) {
      form.current
        ?.querySelector<HTMLElement>(`[name=${emailError ? 'email' : 'password'}]`)
        ?.focus()
      return
    }
    void submit({
      email: email.trim(),
      password,
      provider: stage.default.auth_api_provider,
      locale: currentLocale(),
      role,
    })
  }

  return (
    <VisitorPage>
      <form ref={form} className="card form" noValidate onSubmit={onSubmit}>
        <h1>
          <Trans>Create an account</Trans>
        </h1>
        <FormProblem problem={problem} />
        <Field
          label={<Trans>Email</Trans>}
          name="email"
          type="email"
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is all the page is for
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={isChecked ? emailError : undefined}
        />
        <PasswordField
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isChecked ? passwordError : undefined}
          hint={<PasswordRulesList password={password} />}
        />
        <RoleChoice value={role} onChange={setRole} />
        <button type="submit" className="button primary wide" aria-disabled={isSubmitting}>
          {isSubmitting ? <Trans>Creating…</Trans> : <Trans>Create an account</Trans>}
        </button>
        <p className="muted">
          <Trans>
            Have an account?{' '}
            <Link to="/login" search={search}>
              Sign in
            </Link>
          </Trans>
        </p>
      </form>
    </VisitorPage>
  )
}
