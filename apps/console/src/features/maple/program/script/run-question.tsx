import type { RunQuestion, ScriptRun } from '@grove/contract/maple/program/script'
import { maxAnswerLength } from '@grove/contract/maple/program/script.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowRight, FastForward, Send } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Field } from '../../../../ui/field/field.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { answerRun } from './script.api.ts'
import styles from './script.module.css'

interface RunQuestionFormProps {
  run: ScriptRun
  question: RunQuestion
  /** The previous one was answered here. */
  isFollowing: boolean
  onAnswer: () => void
}

/** What a run is waiting for: an answer, or permission to send the next command. */
export function RunQuestionForm({ run, question, isFollowing, onAnswer }: RunQuestionFormProps) {
  const { t } = useLingui()
  const [value, setValue] = useState('')
  const { isBusy, start } = useWork()
  const { type, text, until, isYours } = question
  const isStep = type === 'step'
  const answer = (given: string) =>
    start(() => {
      onAnswer()
      return answerRun(run, given)
    })
  const place = useRef<HTMLFormElement>(null)
  const takeFocus = useEffectEvent(() => {
    // The answered form is gone, and the focus with it; the new one takes the focus unless the person
    // has moved it.
    if (isFollowing && document.activeElement === document.body)
      place.current?.querySelector<HTMLElement>('input, button')?.focus()
  })
  useEffect(() => takeFocus(), [])
  if (!isYours)
    return (
      <p className={styles.question}>
        {isStep ? (
          <Trans>It is waiting for the person who started it to send the next command.</Trans>
        ) : (
          <Trans>It is waiting for an answer from the person who started it.</Trans>
        )}
      </p>
    )
  return (
    <form
      ref={place}
      className={styles.question}
      aria-label={isStep ? t`Next command` : t`The script asks`}
      onSubmit={(event) => {
        event.preventDefault()
        void answer(isStep ? 'next' : value)
      }}
    >
      {isStep ? (
        <>
          <strong>
            <Trans>Next command</Trans>
          </strong>
          <pre className={styles.code}>{text}</pre>
        </>
      ) : (
        <Field
          label={text}
          value={value}
          maxLength={maxAnswerLength}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setValue(target.value)}
        />
      )}
      <p className="muted">
        <Trans>
          It is waiting until <DateText value={until} />.
        </Trans>
      </p>
      <div className="actions">
        <button type="submit" className="button primary" aria-disabled={isBusy}>
          {isStep ? <ArrowRight size={16} aria-hidden /> : <Send size={16} aria-hidden />}
          {isStep ? t({ message: 'Next', context: 'sends a command' }) : t`Answer`}
        </button>
        {isStep && (
          <button
            type="button"
            className="button"
            aria-disabled={isBusy}
            onClick={() => void answer('run')}
          >
            <FastForward size={16} aria-hidden />
            {t`Run to the end`}
          </button>
        )}
      </div>
    </form>
  )
}
