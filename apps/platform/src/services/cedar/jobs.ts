import { defineJobs } from '../../core/jobs/define-jobs.ts'
import type { CedarContext } from './context.ts'
import { packageIndexOf } from './difference/package-index.service.ts'
import { deleteOldOpens } from './link/link.queries.ts'
import { sendJob, settleNotifications } from './notification/delivery.service.ts'
import { deleteForgotten } from './push-device/push-device.service.ts'
import { sweepObjects } from './storage/objects.service.ts'

const minute = 60_000
const tenMinutes = 10 * minute

const aDay = 24 * 3_600_000
/** So that a year can be compared with the previous one. */
const keptDays = 800

export type CedarJobs = {
  'object.delete': null
  'opens.delete': null
  'package.index': { sha256: string }
  'notification.send': { id: string }
  'notification.settle': null
  'push_device.delete': null
}

export const cedarJobs = defineJobs<CedarContext, CedarJobs>({
  /** Unreferenced packages and images, and staged files of ended processes. */
  'object.delete': {
    everyMs: tenMinutes,
    run: async (context, _input, { signal }) => {
      while ((await sweepObjects(context)) > 0) signal.throwIfAborted()
      await context.objects.sweep()
    },
  },
  /** The files of a newly uploaded package; an earlier comparison computes them itself. */
  'package.index': {
    maxAttempts: 3,
    run: async (context, { sha256 }) => {
      await packageIndexOf(context, sha256)
    },
  },
  /** Opens of links older than any chart. */
  'opens.delete': {
    everyMs: aDay,
    run: async ({ db }, _input, { signal }) => {
      while ((await deleteOldOpens(db, keptDays)) > 0) signal.throwIfAborted()
    },
  },
  'notification.send': sendJob,
  /** Notifications whose job ended without them. */
  'notification.settle': {
    everyMs: minute,
    run: (context) => settleNotifications(context),
  },
  /** Devices not seen for long, and expired receipts. */
  'push_device.delete': {
    everyMs: 24 * 60 * minute,
    run: async (context, _input, { signal }) => {
      while ((await deleteForgotten(context)) > 0) signal.throwIfAborted()
    },
  },
})
