import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { confirm } from '../dialog/confirm.tsx'

const unsaved = new Set<{ place: Element | undefined }>()
let mustLeave = () => false

/** Names the case in which a page closes without asking, such as an ended session. */
export const leaveUnasked = (check: () => boolean) => {
  mustLeave = check
}
export const leavesUnasked = () => mustLeave()

/** Counts a form, or other work, as unsaved until the returned function is called. */
export function markUnsaved(place?: Element): () => void {
  const work = { place }
  unsaved.add(work)
  return () => void unsaved.delete(work)
}

/** Whether a form within an element, such as a panel, has unsaved changes. */
export const hasUnsavedChanges = (within: Element) =>
  [...unsaved].some(({ place }) => place !== undefined && within.contains(place))

/** Asks before unsaved changes are lost; true if there are none or the reader agrees. */
export async function mayLoseChanges(): Promise<boolean> {
  return unsaved.size === 0 || confirmLoss()
}

export const confirmLoss = () =>
  mustLeave() ||
  confirm({
    title: i18n._(msg`Leave without saving?`),
    text: i18n._(msg`Your changes on this page have not been saved.`),
    action: i18n._(msg`Leave`),
    cancel: i18n._(msg`Stay`),
    isDanger: true,
  })
