import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { MailCheck } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { typedEmail } from '../../session/typed-email.ts'
import { EmailField, useEmailProblem } from './email-field.tsx'
import { SignInFields } from './sign-in-fields.tsx'
import { Notice } from './sign-in-notice.tsx'
import { useSignInForm } from './use-sign-in-form.ts'

/** Seconds until the mail may be requested again: most arrive within that time. */
const pause = 30

interface SendMailFormProps {
  send: (email: string) => Promise<unknown>
  action: ReactNode
  /** What the mailed link is for, and how long it is valid. */
  hint: ReactNode
}

/** Requests a mail to an address. The answer is the same whether or not an account uses it. */
export function SendMailForm({ send, action, hint }: SendMailFormProps) {
  const { t } = useLingui()
  const emailProblem = useEmailProblem()
  const [sentTo, setSentTo] = useState<string>()
  const [wait, setWait] = useState(0)
  const [typed, setTyped] = useState(typedEmail)
  const isWaiting = wait > 0 && sentTo === typed.trim()
  const form = useSignInForm({
    values: { email: typed },
    check: ({ email }) => ({ email: emailProblem(email) }),
    isBlocked: isWaiting,
    submit: ({ email }) => send(email.trim()),
    onSaved: (_, { email }) => {
      setSentTo(email.trim())
      setWait(pause)
    },
  })

  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  const field = form.input('email')
  return (
    <>
      <output>
        {sentTo && (
          <Notice icon={<MailCheck size={16} aria-hidden />}>
            <Trans>
              If an account uses {sentTo}, we have sent an email. Check the spam folder too.
            </Trans>{' '}
            {hint}
          </Notice>
        )}
      </output>
      <SignInFields
        form={form}
        pending={<Trans>Sending…</Trans>}
        action={
          isWaiting
            ? t`${plural(wait, { one: 'Send again in # second', other: 'Send again in # seconds' })}`
            : action
        }
      >
        <EmailField
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is the purpose of the page
          autoFocus
          {...field}
          onChange={(event) => {
            setTyped(event.target.value)
            field.onChange(event)
          }}
        />
      </SignInFields>
    </>
  )
}
