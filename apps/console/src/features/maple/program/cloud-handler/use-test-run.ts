import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { path, refreshHandler } from './cloud-handler.api.ts'

/** Runs the saved draft, with the event of a past run where one is named, and opens the new run. */
export function useTestRun({ id }: OpenCloudHandler) {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  // Two clicks in one frame see the same state.
  const lock = useRef(false)
  return async (runId?: string) => {
    if (lock.current) return
    lock.current = true
    try {
      const made = await api.maple.post(`${path}/{id}/test`, {
        params: { id },
        body: runId === undefined ? {} : { runId },
      })
      void refreshHandler()
      await navigate({
        to: '/dashboard/maple/cloud_handlers/$id',
        params: { id },
        search: { run: made.id },
        resetScroll: false,
      })
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    lock.current = false
  }
}
