import { useLingui } from '@lingui/react'
import { problemText } from '../../api/problem-text.ts'
import { notify } from '../toast/notify.ts'
import { confirm, type ConfirmOptions } from './confirm.tsx'

interface Change<Answer> {
  question: ConfirmOptions
  change: () => Promise<Answer>
  /** Shown after a success. */
  done: (answer: Answer) => string
  onDone?: () => void
  refresh: () => unknown
}

/** Makes a change after a confirmation, and shows the result. */
export function useConfirmed() {
  const { i18n } = useLingui()
  return async <Answer>({ question, change, done, onDone, refresh }: Change<Answer>) => {
    if (!(await confirm(question))) return
    try {
      notify({ text: done(await change()) })
      onDone?.()
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    // After a refusal too: what was shown is out of date.
    await refresh()
  }
}
