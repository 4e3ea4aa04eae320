import type { FastifyInstance } from 'fastify'
import type { Platform } from '../platform.ts'

/** `/healthz`: the process runs. `/readyz`: it can serve, database and objects included. */
export function installHealth(app: FastifyInstance, platform: Platform): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const [database, objects] = await Promise.all([
      answers(platform.database.ping()),
      answers(platform.objects.ping()),
    ])
    const isReady = database && objects
    if (!isReady) reply.code(503).header('retry-after', '5')
    return { status: isReady ? 'ok' : 'unavailable', database, objects }
  })
}

const answers = (check: Promise<void>): Promise<boolean> =>
  check.then(
    () => true,
    () => false,
  )
