import { useLingui } from '@lingui/react'
import { problemText } from '../../api/problem-text.ts'
import { notify } from './notify.ts'

/** Runs something, and shows why if it fails. */
export function useAttempt() {
  const { i18n } = useLingui()
  return async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
  }
}
