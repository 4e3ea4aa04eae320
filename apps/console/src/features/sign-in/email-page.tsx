import { Trans } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../session/api.ts'
import { auth } from '../../session/auth.ts'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { homePage, isSignedIn } from '../../session/session.ts'
import { Notice, OfflineNotice } from './sign-in-notice.tsx'
import { stage } from '../../session/stage.ts'
import { keepEmail } from '../../session/typed-email.ts'
import { useAttempt } from './use-attempt.ts'
import { useOffline } from './use-offline.ts'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'
import { isVoidLink, useVoidLink } from './link-is-void.ts'
import { SendMailForm } from './send-mail-form.tsx'
import { SignInCard } from './sign-in-card.tsx'

/** The page of a mailed link that confirms an email, and the form to request one. */
export function EmailPage({ token }: { token: string | undefined }) {
  const { attempt, running, problem } = useAttempt()
  const isOffline = useOffline()
  const isDead = useVoidLink('validate', token)
  const [confirmed, setConfirmed] = useState<string>()

  // A button, because mail scanners open links: opening one must not confirm anything.
  const confirm = (linkToken: string) => {
    if (isOffline) return
    const body = { token: linkToken, provider: stage.default.auth_api_provider }
    void attempt('confirm', async () => {
      const { email } = await api.auth.post('/api/user/validateEmail', { body })
      keepEmail(email)
      setConfirmed(email)
    })
  }

  if (confirmed !== undefined) return <Confirmed email={confirmed} />
  const isVoid = isDead || isVoidLink(problem)
  if (token !== undefined && !isVoid)
    return (
      <SignInCard title={<Trans>Confirm your address</Trans>}>
        <OfflineNotice isOffline={isOffline} />
        <FormProblem problem={problem} />
        <p className="muted">
          <Trans>Press the button to confirm your email address.</Trans>
        </p>
        <button
          type="button"
          className="button primary wide"
          aria-disabled={isOffline || running !== undefined}
          onClick={() => confirm(token)}
        >
          {running ? <Trans>Confirming…</Trans> : <Trans>Confirm this address</Trans>}
        </button>
      </SignInCard>
    )

  return (
    <SignInCard title={<Trans>Confirm your address</Trans>}>
      {isVoid && (
        <Notice>
          <Trans>
            This link is no longer valid: it was used, it is too old, or a newer one was sent.
          </Trans>
        </Notice>
      )}
      <p className="muted">
        <Trans>Enter the email of your account. We send you a link that confirms it.</Trans>
      </p>
      <SendMailForm
        send={auth.sendEmailValidation}
        action={<Trans>Send the link</Trans>}
        hint={<Trans>The link in it works once, within a day.</Trans>}
      />
    </SignInCard>
  )
}

function Confirmed({ email }: { email: string }) {
  const router = useRouter()
  return (
    <VisitorPage>
      <div className="card form">
        <h1>
          <Trans>The address is confirmed</Trans>
        </h1>
        <Notice icon={<MailCheck size={16} aria-hidden />}>
          <Trans>{email} is confirmed.</Trans>
        </Notice>
        <button
          type="button"
          className="button primary wide"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button pressed before is gone
          autoFocus
          onClick={() =>
            isSignedIn() ? router.history.push(homePage()) : void router.navigate({ to: '/login' })
          }
        >
          {isSignedIn() ? <Trans>Continue</Trans> : <Trans>Sign in</Trans>}
        </button>
      </div>
    </VisitorPage>
  )
}
