import { notify } from '../toast/notify.ts'
import { useAttempt } from '../toast/use-attempt.ts'
import { confirm, type ConfirmOptions } from './confirm.tsx'

interface Change<Answer> {
  question: ConfirmOptions
  change: () => Promise<Answer>
  /** What is said after a success. */
  done: (answer: Answer) => string
  onDone?: () => void
  refresh: () => unknown
}

/** Asks before a change, makes it, and says how it ended. */
export function useConfirmed() {
  const attempt = useAttempt()
  return async <Answer>({ question, change, done, onDone, refresh }: Change<Answer>) => {
    if (!(await confirm(question))) return
    await attempt(async () => {
      notify({ text: done(await change()) })
      onDone?.()
    })
    // After a refusal too: what was shown is out of date.
    await refresh()
  }
}
