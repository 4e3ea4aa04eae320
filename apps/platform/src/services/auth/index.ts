import { openJobQueue } from '../../core/jobs/platform-jobs.ts'
import { defineService } from '../../core/service.ts'
import { addAccountAdminRoutes } from './account-admin/account-admin.routes.ts'
import { addAccountRoutes } from './account/account.routes.ts'
import { events, openContext } from './context.ts'
import { addEmailRoutes } from './email/email.routes.ts'
import { addExternalRoutes } from './external/external.routes.ts'
import { addIdentityRoutes } from './identity/identity.routes.ts'
import { addInvitationRoutes } from './invitation/invitation.routes.ts'
import { authJobs, type AuthJobs } from './jobs.ts'
import { addProfileRoutes } from './profile/profile.routes.ts'
import { addAccountSessionRoutes } from './session/account-session.routes.ts'
import { addSessionRoutes } from './session/session.routes.ts'
import { readSettings } from './settings.ts'
import { addSigningKeyRoutes } from './signing-key/signing-key.routes.ts'

/** Accounts, sessions and the tokens that every service verifies. */
export const auth = defineService({
  name: 'auth',
  apiVersion: '1',
  settings: readSettings,
  migrations: new URL('migrations/', import.meta.url),
  jobs: authJobs,
  events,
  open: (platform, settings) =>
    openContext(platform, settings, openJobQueue<AuthJobs>(platform, 'auth', authJobs)),
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
    addInvitationRoutes(app, context)
    context.warnings.on('warning', (fields, message) => app.log.warn(fields, message))
  },
})
