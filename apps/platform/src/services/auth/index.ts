import type { FastifyInstance } from 'fastify'
import { withoutRow } from '../../core/http/error-handler.ts'
import type { Platform, Service } from '../../core/platform.ts'
import { addAccountAdminRoutes } from './account-admin/account-admin.routes.ts'
import { addAccountRoutes } from './account/account.routes.ts'
import { openAuth, type Auth } from './auth.ts'
import { deleteExpiredEmailTokens } from './email/email.queries.ts'
import { addEmailRoutes } from './email/email.routes.ts'
import { startOutbox } from './email/outbox.ts'
import { addExternalRoutes } from './external/external.routes.ts'
import { deleteExpiredLinks } from './identity/identity.queries.ts'
import { addIdentityRoutes } from './identity/identity.routes.ts'
import { addProfileRoutes } from './profile/profile.routes.ts'
import { addAccountSessionRoutes } from './session/account-session.routes.ts'
import { addSessionRoutes } from './session/session.routes.ts'
import { deleteExpiredSessions } from './session/session.queries.ts'
import { timeText } from './session/start-session.ts'
import { addSigningKeyRoutes } from './signing-key/signing-key.routes.ts'
import { deleteIdleThrottles } from './throttle/throttle.queries.ts'

const hour = 60 * 60 * 1000

export const auth: Service = {
  name: 'auth',
  migrations: new URL('migrations/', import.meta.url),
  keySource: async (platform) => (await openAuth(platform)).keys.keySource,
  register,
}

async function register(app: FastifyInstance, platform: Platform): Promise<void> {
  const auth = await openAuth(platform)
  addAccountRoutes(app, auth)
  addSessionRoutes(app, auth)
  addAccountSessionRoutes(app, auth)
  addProfileRoutes(app, auth)
  addAccountAdminRoutes(app, auth)
  addExternalRoutes(app, auth)
  addIdentityRoutes(app, auth)
  addSigningKeyRoutes(app, auth)
  addEmailRoutes(app, auth)
  startOutbox(app, auth)
  deleteHourly(app, auth)
  auth.events.on('warning', (fields, message) => app.log.warn(fields, message))
}

/** Deletes what has expired. Each process does: deleting twice is the same as once. */
function deleteHourly(app: FastifyInstance, auth: Auth): void {
  const timer = setInterval(() => {
    Promise.all([
      deleteExpiredSessions(auth.db, timeText(auth.now())),
      deleteExpiredLinks(auth.db, timeText(auth.now())),
      deleteIdleThrottles(auth.db, auth.now()),
      deleteExpiredEmailTokens(auth.db, timeText(auth.now())),
    ]).catch((error: Error) =>
      app.log.warn({ err: withoutRow(error) }, 'Expired sessions were not deleted'),
    )
  }, hour)
  timer.unref()
  app.addHook('onClose', () => clearInterval(timer))
}
