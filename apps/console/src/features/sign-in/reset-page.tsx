import { isPassword } from '@grove/auth-client/rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { api } from '../../session/api.ts'
import { auth } from '../../session/auth.ts'
import { isSignedIn } from '../../session/session.ts'
import { stage } from '../../session/stage.ts'
import { keepEmail } from '../../session/typed-email.ts'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../ui/field/password-rules.tsx'
import { notifyNextPage } from '../../ui/toast/notify.ts'
import { isVoidLink, useVoidLink } from './link-is-void.ts'
import { SignInCard } from './sign-in-card.tsx'
import { SignInFields } from './sign-in-fields.tsx'
import { Notice } from './sign-in-notice.tsx'
import { useSignInForm } from './use-sign-in-form.ts'

/** The page of a mailed link to set a new password; without a token there is nothing to set. */
export function ResetPage({ token }: { token: string | undefined }) {
  const { t } = useLingui()
  const router = useRouter()
  const isVoid = useVoidLink('reset', token)
  const form = useSignInForm({
    values: { password: '' },
    check: ({ password }) => ({
      password: isPassword(password) ? undefined : t`The password must meet every rule.`,
    }),
    submit: async ({ password }) => {
      const body = { token: token ?? '', password, provider: stage.default.auth_api_provider }
      const { email } = await api.auth.post('/api/user/resetPassword', { body })
      keepEmail(email)
      // The session in this browser has ended with the others, if it belonged to this account.
      if (isSignedIn()) await auth.refresh()
      // If it belongs to another account, the login page redirects immediately, without its notice.
      if (isSignedIn()) notifyNextPage(t`The password of ${email} is changed.`)
      await router.navigate({ to: '/login', search: { notice: 'reset' }, replace: true })
    },
  })

  if (token === undefined || isVoid || isVoidLink(form.problem))
    return (
      <SignInCard title={<Trans>New password</Trans>}>
        <Notice>
          {token === undefined ? (
            <Trans>Open the link in the email again. Reloading this page removes it.</Trans>
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
      <SignInFields
        form={form}
        action={<Trans>Change the password</Trans>}
        pending={<Trans>Saving…</Trans>}
      >
        <PasswordField
          label={<Trans>New password</Trans>}
          autoComplete="new-password"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is the purpose of the page
          autoFocus
          {...form.input('password')}
          hint={<PasswordRulesList password={form.values.password} />}
        />
      </SignInFields>
    </SignInCard>
  )
}
