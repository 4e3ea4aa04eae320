import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { path, refreshHandler } from './cloud-handler.api.ts'

/** Runs the saved draft, with a past run's event if one is named, and opens the new run. */
export function useTestRun({ id }: OpenCloudHandler) {
  const navigate = useNavigate()
  const { start } = useWork()
  return (runId?: string) =>
    start(async () => {
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
    })
}
