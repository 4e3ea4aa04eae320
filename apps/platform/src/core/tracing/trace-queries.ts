import type { Pool, PoolClient } from 'pg'
import { trace } from '@opentelemetry/api'
import { inSpan, SpanKind } from './tracing.ts'

/** Longer statements are truncated; they never contain values. */
const maxStatement = 2000

/** Creates a span for each statement of traced work. */
export function traceQueries(pool: Pool): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const traced = (...args: unknown[]) => {
      const [statement] = args
      const isTraced = typeof statement === 'string' && trace.getActiveSpan()?.isRecording()
      // Calls with a callback instead of a promise are not ours.
      if (!isTraced || typeof args.at(-1) === 'function') return query(...args)
      const [verb = 'query'] = /^\w+/.exec(statement.trimStart()) ?? []
      return inSpan(
        verb.toUpperCase(),
        {
          kind: SpanKind.CLIENT,
          attributes: {
            'db.system.name': 'postgresql',
            'db.query.text': statement.slice(0, maxStatement),
          },
        },
        async () => query(...args),
      )
    }
    client.query = traced as PoolClient['query']
  })
}
