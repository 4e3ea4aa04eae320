import type { SessionState } from '@grove/auth-client'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { dismiss, notify } from '../ui/toast/notify.ts'

/** Milliseconds the sign-in service may take to renew a session before the reader is told. */
const patience = 5000

/**
 * Says that the sign-in service has not answered yet, and how to leave: everything that needs the
 * session is waiting for it. The notice disappears with the answer.
 */
export function watchRefresh(
  auth: { subscribe: (listener: (state: SessionState) => void) => unknown },
  leave: () => Promise<void>,
) {
  let isWaiting = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown: number | undefined

  const say = () => {
    shown = notify({
      text: i18n._(msg`Still waiting for the sign-in service.`),
      kind: 'failure',
      isLasting: true,
      action: { label: i18n._(msg`Logout`), run: leave },
    })
  }

  auth.subscribe(({ status }) => {
    if (isWaiting === (status === 'refreshing')) return
    isWaiting = !isWaiting
    clearTimeout(timer)
    if (shown !== undefined) dismiss(shown)
    shown = undefined
    if (isWaiting) timer = setTimeout(say, patience)
  })
}
