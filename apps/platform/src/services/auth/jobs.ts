import { defineJobs } from '../../core/jobs/define-jobs.ts'
import type { Mail } from '../../core/mail/mailer.ts'
import type { AuthContext } from './context.ts'
import { deleteExpiredEmailTokens, deleteForgottenNetworks } from './email/email.queries.ts'
import { mailJob } from './email/mail-job.ts'
import { deleteExpiredLinks } from './identity/identity.queries.ts'
import { deleteOldInvitations } from './invitation/invitation.queries.ts'
import { deleteExpiredSessions } from './session/session.queries.ts'
import { timeText } from './session/parts/start-session.ts'
import { deleteIdleThrottles } from './throttle/throttle.queries.ts'

const hour = 3600_000
// As long as the longest session makes its network known.
const knownMs = 90 * 24 * hour
// How long the link of an ended invitation still says how it ended.
const invitationMs = 30 * 24 * hour

export type AuthJobs = {
  'mail.send': Mail | null
  'session.delete': null
}

export const authJobs = defineJobs<AuthContext, AuthJobs>({
  'mail.send': mailJob,
  /** Expired sessions, links, invitations and counters. */
  'session.delete': {
    everyMs: hour,
    run: async ({ db, now }) => {
      await deleteExpiredSessions(db, timeText(now()))
      await deleteExpiredLinks(db, timeText(now()))
      await deleteIdleThrottles(db, now())
      await deleteForgottenNetworks(db, timeText(now() - knownMs))
      await deleteExpiredEmailTokens(db, timeText(now()))
      await deleteOldInvitations(db, timeText(now() - invitationMs))
    },
  },
})
