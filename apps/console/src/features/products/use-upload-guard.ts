import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isSignedIn } from '../../app/session.ts'
import { confirm } from '../../components/confirm.tsx'
import { markUnsaved } from '../../components/unsaved-changes.ts'

/** Asks before a navigation, a sign-out or a closed tab cuts an upload off. */
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
