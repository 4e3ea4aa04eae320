import type { FastifyInstance } from 'fastify'
import { hooksPerMinute, maxHookBodyLength } from '@grove/contract/maple/program/handler.rules'
import { rateLimit } from '../../../../core/rate-limit.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import { hookPath } from './hook-path.ts'
import { takeHook } from './hook.service.ts'
import type { HandlerRunner } from './handler-runner.ts'

// Far more than a sender needs to notice that its secret is old.
const strangersPerMinute = 120

/**
 * Webhooks have no schema and any content type, since senders decide; and the raw bytes are needed,
 * since they are signed. So they are outside the contract.
 */
export function registerHook(
  app: FastifyInstance,
  context: KeyContext & { handlers: HandlerRunner },
): void {
  const { now } = context
  const waitOfHook = rateLimit({ burst: hooksPerMinute, perMinute: hooksPerMinute, now })
  const waitOfStranger = rateLimit({
    burst: strangersPerMinute,
    perMinute: strangersPerMinute,
    now,
  })
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: maxHookBodyLength },
      async (_request: unknown, body: Buffer) => body,
    )
    hooks.post<{ Params: { key: string }; Querystring: Record<string, unknown> }>(
      hookPath(':key'),
      { schema: { hide: true }, bodyLimit: maxHookBodyLength },
      async ({ params, query, headers, body, ip }, reply) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const taken = await takeHook(
          { ...context, waitOfHook, waitOfStranger },
          { ...params, query, headers, ip, body: bytes },
        )
        return reply.code(202).header('cache-control', 'no-store').send(taken)
      },
    )
  })
}
