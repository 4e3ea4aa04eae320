import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isSignedIn } from '../../../session/session.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { markUnsaved } from '../../../ui/form/unsaved-changes.ts'

/** Asks before a navigation, a sign-out or closing the tab interrupts an upload. */
export function useUploadGuard(isUploading: boolean) {
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && isSignedIn() && !(await mayCut()),
    enableBeforeUnload: isUploading,
    disabled: !isUploading,
  })
  useEffect(() => (isUploading ? markUnsaved() : undefined), [isUploading])
}

const mayCut = () =>
  confirm({
    title: i18n._(msg`Leave during the upload?`),
    text: i18n._(msg`The upload is still running. It stops when you leave this page.`),
    action: i18n._(msg`Leave`),
    cancel: i18n._(msg`Stay`),
    isDanger: true,
  })
