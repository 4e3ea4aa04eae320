import { isEmail } from '@grove/auth-client'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { MailCheck } from 'lucide-react'
import { useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { EmailField } from './email-field.tsx'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { Notice, OfflineNotice } from './sign-in-notice.tsx'
import { useTypedEmail } from '../../session/typed-email.ts'
import { useAttempt } from './use-attempt.ts'
import { useOffline } from './use-offline.ts'

/** Seconds until the mail may be asked for again: most have come by then. */
const pause = 30

interface SendMailFormProps {
  send: (email: string) => Promise<unknown>
  action: ReactNode
  /** What the link in the mail is good for, and how long. */
  hint: ReactNode
}

/** Asks for a mail to an address. What it says is the same whether or not an account uses it. */
export function SendMailForm({ send, action, hint }: SendMailFormProps) {
  const { t } = useLingui()
  const isOffline = useOffline()
  const { attempt, running, problem } = useAttempt()
  const [email, setEmail] = useTypedEmail()
  const [isChecked, setChecked] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const [wait, setWait] = useState(0)
  const emailError = isEmail(email.trim())
    ? undefined
    : t`Enter an email address, such as name@example.com.`

  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  const isWaiting = wait > 0 && sentTo === email.trim()
  const isClosed = isOffline || isWaiting || running !== undefined
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setChecked(true)
    if (emailError) {
      event.currentTarget.querySelector('input')?.focus()
      return
    }
    if (isClosed) return
    void attempt('send', async () => {
      await send(email.trim())
      setSentTo(email.trim())
      setWait(pause)
    })
  }

  return (
    <form className="form" noValidate onSubmit={onSubmit}>
      <OfflineNotice isOffline={isOffline} />
      <FormProblem problem={problem} />
      <output>
        {sentTo && (
          <Notice icon={<MailCheck size={16} aria-hidden />}>
            <Trans>
              If an account uses {sentTo}, a mail is on its way. Look among the spam too.
            </Trans>{' '}
            {hint}
          </Notice>
        )}
      </output>
      <EmailField
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- this form is all the page is for
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={isChecked ? emailError : undefined}
      />
      <button type="submit" className="button primary wide" aria-disabled={isClosed}>
        {running ? (
          <Trans>Sending…</Trans>
        ) : isWaiting ? (
          t`${plural(wait, { one: 'Send again in # second', other: 'Send again in # seconds' })}`
        ) : (
          action
        )}
      </button>
    </form>
  )
}
