import { isPassword } from '@grove/auth-client'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { api } from '../../session/api.ts'
import { fieldErrors } from '../../api/field-errors.ts'
import { auth } from '../../session/auth.ts'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../ui/field/password-rules.tsx'
import { isSignedIn } from '../../session/session.ts'
import { Notice, OfflineNotice } from './sign-in-notice.tsx'
import { stage } from '../../session/stage.ts'
import { notifyNextPage } from '../../ui/toast/notify.ts'
import { keepEmail } from '../../session/typed-email.ts'
import { useAttempt } from './use-attempt.ts'
import { useOffline } from './use-offline.ts'
import { isVoidLink } from './link-is-void.ts'
import { SignInCard } from './sign-in-card.tsx'

/** The page of a mailed link to a new password; without a token there is nothing to change. */
export function ResetPage({ token }: { token: string | undefined }) {
  const { t, i18n } = useLingui()
  const router = useRouter()
  const isOffline = useOffline()
  const { attempt, running, problem } = useAttempt()
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const refused = fieldErrors(problem, i18n)['password']
  const passwordError = isPassword(password) ? undefined : t`The password must meet every rule.`
  const focusPassword = () => form.current?.querySelector('input')?.focus()

  useEffect(() => {
    // What was refused is read out with its field.
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problem])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (passwordError) return focusPassword()
    if (isOffline || token === undefined) return
    const body = { token, password, provider: stage.default.auth_api_provider }
    void attempt('reset', async () => {
      const { email } = await api.auth.post('/api/user/resetPassword', { body })
      keepEmail(email)
      // The session in this browser has ended with the others, if it was this account's.
      if (isSignedIn()) await auth.refresh()
      // Of another account: the login page leads on at once, without its notice.
      if (isSignedIn()) notifyNextPage(t`The password of ${email} is changed.`)
      await router.navigate({ to: '/login', search: { notice: 'reset' }, replace: true })
    })
  }

  if (token === undefined || isVoidLink(problem))
    return (
      <SignInCard title={<Trans>New password</Trans>}>
        <Notice>
          {token === undefined ? (
            <Trans>Open the link in the mail once more: this page has lost it.</Trans>
          ) : (
            <Trans>
              This link is no longer valid: it was used, it is too old, or a newer one was sent.
            </Trans>
          )}
        </Notice>
        <Link to="/login/forgotten" className="button primary wide">
          <Trans>Send a new link</Trans>
        </Link>
      </SignInCard>
    )

  return (
    <SignInCard title={<Trans>New password</Trans>}>
      <form ref={form} className="form" noValidate onSubmit={onSubmit}>
        <OfflineNotice isOffline={isOffline} />
        <FormProblem problem={refused ? undefined : problem} />
        <PasswordField
          label={<Trans>New password</Trans>}
          autoComplete="new-password"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is all the page is for
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isChecked ? (passwordError ?? refused) : undefined}
          hint={<PasswordRulesList password={password} />}
        />
        <button
          type="submit"
          className="button primary wide"
          aria-disabled={isOffline || running !== undefined}
        >
          {running ? <Trans>Saving…</Trans> : <Trans>Change the password</Trans>}
        </button>
      </form>
    </SignInCard>
  )
}
