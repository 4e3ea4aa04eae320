import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { clockTime } from './clock-time.ts'
import { tooltip } from '../../ui/kit/tooltip.ts'
import styles from './mail-button.module.css'
import { usePause } from './use-pause.ts'

/** Seconds between two mails: anyone who asks sooner has probably not checked the spam folder. */
const pauseAfterMail = 60

interface MailButtonProps {
  label: string
  send: () => Promise<unknown>
  /** Shown once the mail has been sent. */
  sent: ReactNode
}

/** Sends a mail, says so, and pauses before the next one. */
export function MailButton({ label, send, sent }: MailButtonProps) {
  const { t } = useLingui()
  const { seconds, pause } = usePause()
  const mail = useMutation({
    mutationFn: send,
    onSuccess: () => pause(pauseAfterMail),
    onError: (error) => {
      if (error instanceof ApiProblem && error.retryAfter) pause(error.retryAfter)
    },
  })
  const isResting = seconds > 0 || mail.isPending
  const left = clockTime(seconds * 1000)
  return (
    <div className={styles.mail}>
      <div className="actions">
        <button
          type="button"
          className="button"
          aria-disabled={isResting}
          {...tooltip(seconds > 0 ? t`Wait a moment before requesting another email.` : undefined)}
          onClick={() => {
            if (!isResting) mail.mutate()
          }}
        >
          <Mail size={16} aria-hidden />
          {mail.isPending ? <Trans>Sending…</Trans> : label}
          {seconds > 0 && <span className="muted">{left}</span>}
        </button>
      </div>
      <output>{mail.isSuccess && sent}</output>
      <FormProblem problem={mail.error} />
    </div>
  )
}
