import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { logSettings } from './log.ts'

/** The log lines of a server with one call and one probe. */
async function linesOf(...urls: string[]) {
  const lines: Record<string, unknown>[] = []
  const { logger, ...settings } = logSettings('info')
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = Fastify({ ...settings, logger: { ...(logger as object), stream } })
  app.decorate('api', { name: 'maple', version: '3' })
  app.decorateRequest('accessToken', null)
  app.get('/device/:id', (request, reply) => {
    request.accessToken = { userId: 'ada' } as typeof request.accessToken
    return reply.send({})
  })
  app.get('/healthz', { logLevel: 'warn' }, async () => ({}))
  for (const url of urls) await app.inject({ url, headers: { authorization: 'Bearer secret' } })
  await app.close()
  return lines
}

test('a response is logged as one line, without values from the query or the headers', async () => {
  const [line, ...more] = await linesOf('/device/7?email=ada@example.com')
  expect(more).toEqual([])
  expect(line).toMatchObject({
    level: 'info',
    msg: 'answered',
    req: { method: 'GET', path: '/device/7', ip: '127.0.0.1' },
    route: '/device/:id',
    service: 'maple',
    user: 'ada',
    status: 200,
  })
  expect(typeof line?.['ms']).toBe('number')
  expect(JSON.stringify(line)).not.toMatch(/secret|example\.com/)
})

test('unknown paths are logged too, but probes are not', async () => {
  const lines = await linesOf('/healthz', '/nothing')
  expect(lines).toMatchObject([{ status: 404, req: { path: '/nothing' } }])
})
