import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '../../../api/client.ts'
import { addMessages } from '../../../app/locale.ts'
import { useSignInMethods } from '../../../app/sign-in-methods.ts'
import { Notice } from '../../../app/sign-in-notice.tsx'
import { stage } from '../../../app/stage.ts'
import { visitSearch } from '../../../app/visit-search.ts'
import { SendMailForm } from '../../../features/sign-in/send-mail-form.tsx'
import { SignInCard } from '../../../features/sign-in/sign-in-card.tsx'

export const Route = createFileRoute('/_app/login/forgotten')({
  validateSearch: visitSearch,
  beforeLoad: () => addMessages('sign-in'),
  staticData: { title: msg`Forgotten password` },
  component: ForgottenPage,
})

const send = (email: string) =>
  api.post('/api/send/resetPassword', {
    body: { email, provider: stage.default.auth_api_provider },
  })

function ForgottenPage() {
  const { from } = Route.useSearch()
  const { isKnown, offers } = useSignInMethods()
  return (
    <SignInCard title={<Trans>Forgotten password</Trans>} from={from}>
      {isKnown && !offers('passwordReset') ? (
        <Notice>
          <Trans>Passwords cannot be changed here. Ask whoever runs your sign-in service.</Trans>
        </Notice>
      ) : (
        <>
          <p className="muted">
            <Trans>Enter the email of your account. You get a link to choose a new password.</Trans>
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
