import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { isEmail } from '@grove/auth-client'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useRef, useState, type FormEvent } from 'react'
import { auth } from '../../app/auth.ts'
import { Field } from '../../app/field.tsx'
import { FormProblem } from '../../app/form-problem.tsx'
import { PasswordField } from '../../app/password-field.tsx'
import { stage } from '../../app/stage.ts'
import { useSignIn } from '../../app/use-sign-in.ts'
import { leaveWhenSignedIn, visitSearch } from '../../app/visit-search.ts'
import { VisitorPage } from '../../app/visitor-page.tsx'

export const Route = createFileRoute('/_app/login')({
  // In the entry: the page that most visits begin with waits for no second chunk.
  codeSplitGroupings: [],
  validateSearch: visitSearch,
  beforeLoad: leaveWhenSignedIn,
  staticData: { title: msg`Sign in` },
  component: LoginPage,
})

function LoginPage() {
  const { t } = useLingui()
  const search = Route.useSearch()
  const { submit, isSubmitting, problem } = useSignIn(auth.signIn, search.from)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)

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
    void submit({ email: email.trim(), password, provider: stage.default.auth_api_provider })
  }

  return (
    <VisitorPage>
      <form ref={form} className="card form" noValidate onSubmit={onSubmit}>
        <h1>
          <Trans>Sign in</Trans>
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
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isChecked ? passwordError : undefined}
        />
        <button type="submit" className="button primary wide" aria-disabled={isSubmitting}>
          {isSubmitting ? <Trans>Signing in…</Trans> : <Trans>Sign in</Trans>}
        </button>
        <p className="muted">
          <Trans>
            New here?{' '}
            <Link to="/signup" search={search}>
              Create an account
            </Link>
          </Trans>
        </p>
      </form>
    </VisitorPage>
  )
}
