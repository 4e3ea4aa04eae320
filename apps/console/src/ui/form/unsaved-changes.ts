import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { confirm } from '../dialog/confirm.tsx'

const dirtyForms = new Set<symbol>()
let mustLeave = () => false

/** Names the case in which a page must close without a question, such as an ended session. */
export const leaveUnasked = (check: () => boolean) => {
  mustLeave = check
}

/** Counts a form among those with unsaved changes until the returned function is called. */
export function markUnsaved(): () => void {
  const form = Symbol('form')
  dirtyForms.add(form)
  return () => void dirtyForms.delete(form)
}

/** Asks before unsaved changes are lost; true when there are none or the reader agrees. */
export async function mayLoseChanges(): Promise<boolean> {
  return dirtyForms.size === 0 || confirmLoss()
}

export const confirmLoss = () =>
  mustLeave() ||
  confirm({
    title: i18n._(msg`Leave without saving?`),
    text: i18n._(msg`What you changed on this page has not been saved.`),
    action: i18n._(msg`Leave`),
    cancel: i18n._(msg`Stay`),
    isDanger: true,
  })
