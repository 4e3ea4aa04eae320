import { useLingui } from '@lingui/react/macro'
import { problemText } from '../../../api/problem-text.ts'
import { services } from '../../../session/services.ts'
import { notify } from '../../../ui/toast/notify.ts'

/** Saves a file whose URL a call of Maple returns. */
export function useDownload() {
  const { i18n } = useLingui()
  return async (prepare: () => Promise<{ address: string }>) => {
    try {
      const { address } = await prepare()
      // The browser downloads it on its own, with its own progress, and keeps nothing of it in this
      // page.
      location.assign(services.maple.url + address)
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
  }
}
