import type { FastifyInstance } from 'fastify'
import type { Platform } from '../platform.ts'

// Anyone can call it, and each check writes a file.
const rememberedMs = 1000

/** `/healthz`: the process runs. `/readyz`: it can serve, including database and objects. */
export function installHealth(app: FastifyInstance, platform: Platform): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  let asked: { at: number; answer: Promise<[boolean, boolean]> } | undefined
  const ask = () => {
    if (asked && performance.now() - asked.at < rememberedMs) return asked.answer
    const answer = Promise.all([
      answers(platform.database.ping()),
      answers(platform.objects.ping()),
    ])
    asked = { at: performance.now(), answer }
    return answer
  }
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const [database, objects] = await ask()
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
