import { context, diag, propagation, trace } from '@opentelemetry/api'
import Fastify from 'fastify'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startCollector } from './core/testing/trace-collector.ts'
import { startTracing } from './core/tracing/start-tracing.ts'
import { traceRequests } from './core/tracing/trace-requests.ts'
import { inSpan, traceparent } from './core/tracing/tracing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const header = `00-${traceId}-00f067aa0ba902b7-01`
const warn = vi.fn<(fields: object, message: string) => void>()

let collector: Awaited<ReturnType<typeof startCollector>>
let stop: () => Promise<void>

beforeAll(async () => {
  collector = await startCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20')
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '300')
  stop = await startTracing(process.env, warn)
})
afterEach(() => warn.mockClear())
afterAll(async () => {
  await stop()
  await collector.close()
  vi.unstubAllEnvs()
  // Other test files share these modules.
  for (const part of [trace, context, propagation, diag]) part.disable()
})

async function call(trustsProxy: boolean, method: 'GET' | 'POST', url: string) {
  const app = Fastify()
  traceRequests(app, { trustsProxy })
  app.get('/readyz', async () => ({ traceparent: traceparent() }))
  app.post('/thing/:id', async () => ({ traceparent: traceparent() }))
  app.get('/fault', async () => {
    throw new Error('of somebody@grove.test')
  })
  const answer = await app.inject({
    method,
    url,
    headers: { traceparent: header },
    ...(method === 'POST' && { payload: { text: 'a body' } }),
  })
  await app.close()
  return answer.json<{ traceparent: string | null }>().traceparent
}

const spanOf = (name: string) => collector.spans.findLast((span) => span.name === name)

test('a request continues the trace of a proxy in front, and starts one for a direct client', async () => {
  const said = await call(true, 'POST', '/thing/7?secret=1')
  expect(said?.split('-')[1]).toBe(traceId)
  const name = 'POST /thing/:id'
  await expect
    .poll(() => spanOf(name))
    .toMatchObject({
      traceId,
      parentSpanId: '00f067aa0ba902b7',
      attributes: { 'url.path': '/thing/7' },
    })
  expect((await call(false, 'POST', '/thing/7'))?.split('-')[1]).toMatch(/^[0-9a-f]{32}$/)
  expect((await call(false, 'POST', '/thing/7'))?.split('-')[1]).not.toBe(traceId)
})

test('probes by balancers are not traced', async () => {
  expect(await call(true, 'GET', '/readyz')).toBeNull()
})

test('an error marks its span, without the message', async () => {
  await call(true, 'GET', '/fault')
  await expect.poll(() => spanOf('GET /fault')).toMatchObject({ status: { code: 2 } })
  const failing = () =>
    inSpan('a job', {}, () => Promise.reject(new TypeError('somebody@grove.test')))
  await expect(failing()).rejects.toThrow(TypeError)
  await expect
    .poll(() => spanOf('a job'))
    .toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'TypeError' } })
  expect(collector.raw()).not.toContain('somebody@grove.test')
})

test('an unreachable collector is logged once, and fails nothing', async () => {
  await collector.close()
  for (let turn = 0; turn < 3; turn += 1) {
    await call(true, 'POST', '/thing/8')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stop()
  expect(warn.mock.calls.map(([, message]) => message)).toEqual(['Traces were not sent'])
})
