import { ProblemError } from '../../core/http/problem.ts'
import { defineService, noSettings } from '../../core/service.ts'
import { openContext } from './context.ts'
import { addIdentityRoutes } from './identity/identity.routes.ts'
import { addMailRoutes } from './mail/mail.routes.ts'

/** Replaces the mail server and an external OpenID provider on a developer's machine. */
export const dev = defineService({
  name: 'dev',
  settings: noSettings,
  // Both are part of sign-in.
  runsWhen: ({ isLocal }, chosen) => isLocal && chosen.includes('auth'),
  open: openContext,
  register: (app, context) => {
    app.addHook('onRequest', async (request) => {
      // The name and proxies are checked for the whole server (core/http/host-check.ts).
      const isOwn =
        isLoopbackAddress(request.socket.remoteAddress) &&
        // An application elsewhere that may call this server must not read its mails.
        !context.config.allowedOrigins.includes(request.headers.origin ?? '')
      if (!isOwn) throw new ProblemError('not_found', 'There is nothing here.')
    })
    addIdentityRoutes(app, context)
    addMailRoutes(app, context)
  },
})

const isLoopbackAddress = (address = '') => /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address)
