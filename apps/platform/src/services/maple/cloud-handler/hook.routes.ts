import type { FastifyInstance } from 'fastify'
import { hooksPerMinute, longestHookBody } from '@grove/contract/maple/handler.rules'
import { rateLimit } from '../../../core/rate-limit.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { hookPath } from './hook-path.ts'
import { takeHook } from './hook.service.ts'
import type { HandlerRunner } from './handler-runner.ts'

/**
 * Webhooks have no schema and any type of body, since others decide what they send; and the bytes are
 * needed as they came, since they are signed. So they are outside of the contract.
 */
export function registerHook(
  app: FastifyInstance,
  context: KeyContext & { handlers: HandlerRunner },
): void {
  const waitOf = rateLimit({ burst: hooksPerMinute, perMinute: hooksPerMinute, now: context.now })
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: longestHookBody },
      async (_request: unknown, body: Buffer) => body,
    )
    hooks.post<{ Params: { key: string }; Querystring: Record<string, unknown> }>(
      hookPath(':key'),
      { schema: { hide: true }, bodyLimit: longestHookBody },
      async ({ params, query, headers, body }, reply) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const taken = await takeHook(
          { ...context, waitOf },
          { ...params, query, headers, body: bytes },
        )
        return reply.code(202).header('cache-control', 'no-store').send(taken)
      },
    )
  })
}
