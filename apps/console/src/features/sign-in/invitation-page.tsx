import { isPassword } from '@grove/auth-client/rules'
import { maxNameLength, type AccountRole } from '@grove/contract/auth/account.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useRouter } from '@tanstack/react-router'
import { api } from '../../session/api.ts'
import { auth } from '../../session/auth.ts'
import { isSignedIn } from '../../session/session.ts'
import { stage } from '../../session/stage.ts'
import { keepEmail } from '../../session/typed-email.ts'
import { Field } from '../../ui/field/field.tsx'
import { PasswordField } from '../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../ui/field/password-rules.tsx'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { notifyNextPage } from '../../ui/toast/notify.ts'
import { completeSignIn, requireToken } from './complete-sign-in.ts'
import { SignInCard } from './sign-in-card.tsx'
import { SignInFields } from './sign-in-fields.tsx'
import { Notice } from './sign-in-notice.tsx'
import { useInvitation, voidReason, type Offer, type VoidReason } from './use-invitation.ts'
import { useSignInForm } from './use-sign-in-form.ts'

/** The page of an invitation link: a name and a password create the account. */
export function InvitationPage({ token }: { token: string | undefined }) {
  const { t } = useLingui()
  const { offer, problem, isAsked } = useInvitation(token)
  const reason = token === undefined ? 'missing' : voidReason(problem)
  return (
    <SignInCard title={<Trans>You are invited to Grove</Trans>}>
      {reason ? (
        <VoidInvitation reason={reason} />
      ) : token !== undefined && isAsked ? (
        <JoinForm token={token} offer={offer} />
      ) : (
        <output className="form" aria-label={t`Loading…`}>
          <span className="skeleton" />
        </output>
      )}
    </SignInCard>
  )
}

/** If the link could not be checked, the form shows less but still works. */
function JoinForm({ token, offer }: { token: string; offer: Offer | undefined }) {
  const { t } = useLingui()
  const router = useRouter()
  const form = useSignInForm({
    values: { name: '', password: '' },
    check: ({ name, password }) => ({
      name: name.trim() === '' ? t`Enter your name.` : undefined,
      password: isPassword(password) ? undefined : t`The password must meet every rule.`,
    }),
    submit: async ({ name, password }, signal) => {
      const provider = stage.default.auth_api_provider
      const body = { token, name: name.trim(), password, provider, locale: currentLocale() }
      const { email } = await api.auth.post('/api/user/acceptInvitation', { body })
      keepEmail(email)
      try {
        requireToken(await auth.signIn({ email, password, provider }, { signal }))
      } catch {
        // The account exists: only the sign-in is left to do.
        notifyNextPage(t`Your account is ready. Sign in with the password that you chose.`)
        return router.navigate({ to: '/login', replace: true })
      }
      return completeSignIn(router, undefined)
    },
  })
  const reason = voidReason(form.problem)
  if (reason) return <VoidInvitation reason={reason} />
  return (
    <>
      {offer && <OfferText offer={offer} />}
      {isSignedIn() && (
        <Notice>
          <Trans>Somebody is signed in here. Joining signs you in instead.</Trans>
        </Notice>
      )}
      <SignInFields form={form} action={<Trans>Join</Trans>} pending={<Trans>Joining…</Trans>}>
        {offer && (
          <Field
            label={<Trans>Email</Trans>}
            type="email"
            // The user name that password managers store the password under.
            autoComplete="username"
            readOnly
            value={offer.email}
          />
        )}
        <Field
          label={<Trans>Your name</Trans>}
          autoComplete="name"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is the purpose of the page
          autoFocus
          maxLength={maxNameLength}
          {...form.input('name')}
        />
        <PasswordField
          autoComplete="new-password"
          {...form.input('password')}
          hint={<PasswordRulesList password={form.values.password} />}
        />
      </SignInFields>
    </>
  )
}

function OfferText({ offer: { invitedBy, role } }: { offer: Offer }) {
  const { t } = useLingui()
  const texts: Record<AccountRole, string> = {
    CUSTOMER: t`As a customer, you use mini-apps.`,
    DEVELOPER: t`As a developer, you publish mini-apps and use the dashboard.`,
    ADMIN: t`As an administrator, you see and change everything, and manage people.`,
  }
  return (
    <p className="muted">
      {invitedBy !== null && (
        <>
          <Trans>
            <bdi>{invitedBy}</bdi> invites you.
          </Trans>{' '}
        </>
      )}
      {texts[role]}
    </p>
  )
}

/** Why the link does not work, and what to do next. */
function VoidInvitation({ reason }: { reason: VoidReason }) {
  const { t } = useLingui()
  const texts: Record<VoidReason, string> = {
    missing: t`Open the link in the email again. Reloading this page removes it.`,
    invalid_email_token: t`This link is not valid, or a newer one was sent. Open the newest email.`,
    invitation_accepted: t`This invitation was used. Sign in with the password that you chose.`,
    invitation_withdrawn: t`This invitation was withdrawn. Ask who invited you for a new one.`,
    invitation_ended: t`This invitation has ended. Ask who invited you to send it again.`,
    account_exists: t`You have an account with this address already. Sign in to it.`,
  }
  const hasAccount = reason === 'invitation_accepted' || reason === 'account_exists'
  return (
    <>
      <Notice>{texts[reason]}</Notice>
      <Link to={hasAccount ? '/login' : '/'} className="button primary wide">
        {hasAccount ? <Trans>Sign in</Trans> : <Trans>Go to the start page</Trans>}
      </Link>
    </>
  )
}
