import type { FastifyInstance } from 'fastify'
import { withoutRow } from '../../core/http/error-handler.ts'
import { defineService } from '../../core/service.ts'
import { addAccountAdminRoutes } from './account-admin/account-admin.routes.ts'
import { addAccountRoutes } from './account/account.routes.ts'
import { openContext, type AuthContext } from './context.ts'
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
import { readSettings } from './settings.ts'
import { addSigningKeyRoutes } from './signing-key/signing-key.routes.ts'
import { deleteIdleThrottles } from './throttle/throttle.queries.ts'

const hour = 60 * 60 * 1000

/** Accounts, sessions and the tokens that every service verifies. */
export const auth = defineService({
  name: 'auth',
  apiVersion: '1',
  settings: readSettings,
  migrations: new URL('migrations/', import.meta.url),
  open: openContext,
  keySource: ({ keys }) => keys.keySource,
  register: (app, context) => {
    addAccountRoutes(app, context)
    addSessionRoutes(app, context)
    addAccountSessionRoutes(app, context)
    addProfileRoutes(app, context)
    addAccountAdminRoutes(app, context)
    addExternalRoutes(app, context)
    addIdentityRoutes(app, context)
    addSigningKeyRoutes(app, context)
    addEmailRoutes(app, context)
    startOutbox(app, context)
    deleteHourly(app, context)
    context.events.on('warning', (fields, message) => app.log.warn(fields, message))
  },
})

/** Deletes what has expired. Every process does: deleting twice does no harm. */
function deleteHourly(app: FastifyInstance, { db, now }: AuthContext): void {
  const timer = setInterval(() => {
    Promise.all([
      deleteExpiredSessions(db, timeText(now())),
      deleteExpiredLinks(db, timeText(now())),
      deleteIdleThrottles(db, now()),
      deleteExpiredEmailTokens(db, timeText(now())),
    ]).catch((error: Error) =>
      app.log.warn({ err: withoutRow(error) }, 'Expired sessions were not deleted'),
    )
  }, hour)
  timer.unref()
  app.addHook('onClose', () => clearInterval(timer))
}
