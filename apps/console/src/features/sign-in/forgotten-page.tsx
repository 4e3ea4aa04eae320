import { Trans } from '@lingui/react/macro'
import { api } from '../../session/api.ts'
import { useSignInMethods } from '../../session/sign-in-methods.ts'
import { Notice } from './sign-in-notice.tsx'
import { stage } from '../../session/stage.ts'
import { SendMailForm } from './send-mail-form.tsx'
import { SignInCard } from './sign-in-card.tsx'

const send = (email: string) =>
  api.auth.post('/api/send/resetPassword', {
    body: { email, provider: stage.default.auth_api_provider },
  })

export function ForgottenPage({ from }: { from: string | undefined }) {
  const { isKnown, offers } = useSignInMethods()
  return (
    <SignInCard title={<Trans>Forgotten password</Trans>} from={from}>
      {isKnown && !offers('passwordReset') ? (
        <Notice>
          <Trans>
            Passwords cannot be changed here. Ask the administrator of your sign-in service.
          </Trans>
        </Notice>
      ) : (
        <>
          <p className="muted">
            <Trans>
              Enter the email of your account. We send you a link to set a new password.
            </Trans>
          </p>
          <SendMailForm
            send={send}
            action={<Trans>Send the link</Trans>}
            hint={<Trans>The link in it works once, within an hour.</Trans>}
          />
        </>
      )}
    </SignInCard>
  )
}
