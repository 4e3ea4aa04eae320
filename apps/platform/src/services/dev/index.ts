import type { FastifyInstance } from 'fastify'
import { isLoopbackName } from '../../core/config.ts'
import { ProblemError } from '../../core/http/problem.ts'
import type { Platform, Service } from '../../core/platform.ts'
import { addIdentityRoutes } from './identity/identity.routes.ts'
import { addMailRoutes } from './mail/mail.routes.ts'

/** What stands in, on a machine of one's own, for the mail server and for somebody's OpenID provider. */
export const dev: Service = {
  name: 'dev',
  register: (app: FastifyInstance, platform: Platform) => {
    app.addHook('onRequest', async (request) => {
      // By name too: a page elsewhere may let its own name lead to this machine. And not through a
      // proxy or a tunnel, behind which anybody may be.
      const isOwn =
        isLoopbackName(request.hostname) &&
        isLoopbackAddress(request.socket.remoteAddress) &&
        forwarding.every((name) => request.headers[name] === undefined) &&
        // An application elsewhere that may call this server has no business with its mails.
        !platform.config.allowedOrigins.includes(request.headers.origin ?? '')
      if (!isOwn) throw new ProblemError('not_found', 'There is nothing here.')
    })
    addIdentityRoutes(app, platform)
    addMailRoutes(app, platform)
  },
}

const forwarding = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

const isLoopbackAddress = (address = '') => /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address)
