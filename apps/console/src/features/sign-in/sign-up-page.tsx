import { isPassword } from '@grove/auth-client/rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { auth } from '../../session/auth.ts'
import { hasMethod, useSignInMethods } from '../../session/sign-in-methods.ts'
import { stage } from '../../session/stage.ts'
import { typedEmail } from '../../session/typed-email.ts'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../ui/field/password-rules.tsx'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'
import { notifyNextPage } from '../../ui/toast/notify.ts'
import { completeSignIn, requireToken } from './complete-sign-in.ts'
import { EmailField, useEmailProblem } from './email-field.tsx'
import { RoleChoice, type Role } from './role-choice.tsx'
import { SignInFields } from './sign-in-fields.tsx'
import { Notice } from './sign-in-notice.tsx'
import { useSignInElsewhere } from './use-sign-in-elsewhere.ts'
import { useSignInForm } from './use-sign-in-form.ts'

interface SignUpValues {
  email: string
  password: string
  role: Role
}

export function SignUpPage({ from }: { from: string | undefined }) {
  const { t } = useLingui()
  const router = useRouter()
  const queryClient = useQueryClient()
  const { isKnown, offers } = useSignInMethods()
  const emailProblem = useEmailProblem()
  const form = useSignInForm<SignUpValues>({
    values: { email: typedEmail(), password: '', role: 'DEVELOPER' },
    check: ({ email, password }) => ({
      email: emailProblem(email),
      password: isPassword(password) ? undefined : t`The password must meet every rule.`,
    }),
    submit: async ({ email, ...choice }, signal) => {
      const address = email.trim()
      const provider = stage.default.auth_api_provider
      const isMailed = hasMethod(queryClient, 'emailValidation')
      requireToken(
        await auth.signUp(
          { ...choice, email: address, provider, locale: currentLocale() },
          { signal },
        ),
      )
      if (await isMailed)
        notifyNextPage(
          t`We sent an email to ${address}. Open the link in it to confirm the address.`,
        )
      await completeSignIn(router, from)
    },
  })
  useSignInElsewhere(from, form.status === 'saving')

  if (isKnown && !offers('signUp'))
    return (
      <VisitorPage>
        <div className="card form">
          <h1>
            <Trans>Create an account</Trans>
          </h1>
          <Notice>
            <Trans>Sign-up is turned off. Ask an administrator for an account.</Trans>
          </Notice>
          <Link to="/login" search={{ from }}>
            <Trans>Back to sign in</Trans>
          </Link>
        </div>
      </VisitorPage>
    )

  return (
    <VisitorPage>
      <div className="card form">
        <h1>
          <Trans>Create an account</Trans>
        </h1>
        <SignInFields
          form={form}
          action={<Trans>Create an account</Trans>}
          pending={<Trans>Creating…</Trans>}
        >
          <EmailField
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is the purpose of the page
            autoFocus
            {...form.input('email')}
          />
          <PasswordField
            autoComplete="new-password"
            {...form.input('password')}
            hint={<PasswordRulesList password={form.values.password} />}
          />
          <RoleChoice
            value={form.values.role}
            onChange={(role) => form.set({ role })}
            error={form.errors['role']}
          />
        </SignInFields>
        <p className="muted">
          <Trans>
            Have an account?{' '}
            <Link to="/login" search={{ from }}>
              Sign in
            </Link>
          </Trans>
        </p>
      </div>
    </VisitorPage>
  )
}
