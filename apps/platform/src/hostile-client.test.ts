import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import type { FastifyError } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cedar } from './services/cedar/index.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { toProblemError, withoutRow } from './core/http/error-handler.ts'

let server: TestServer
let port: number
beforeAll(async () => {
  server = await startTestServer([cedar])
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  port = (server.app.server.address() as AddressInfo).port
})
afterAll(() => server.close())

test.each(['/%', '/api/developer/product/%E0%A4%A', '/assets/%'])(
  'the malformed address %s is answered with problem details',
  async (path) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
    const answer = (await socket.toArray()).join('')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toMatch(/x-content-type-options: nosniff/i)
    expect(answer).toContain('"code":"invalid_request"')
  },
)

// Larger than the socket buffers of both kernels, so that the sender has to wait for the reader.
const rest = Buffer.alloc(20 * 1024 * 1024, 'x')

test.each([
  ['a part of another name', 'name="other"; filename="a.zip"'],
  ['a field that is too long', 'name="productVersionId"'],
])('a sender whose form begins with %s can send it to the end', async (_, disposition) => {
  const { authorization } = await server.bearer(['DEVELOPER'])
  const isField = !disposition.includes('filename')
  const head = `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
  const file = 'content-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
  // The parser looks past a line end before it accepts that a part has begun.
  const begin = isField ? `${head}${'x'.repeat(5000)}\r\n--b\r\n${file}` : `${head}xxxx`
  const end = '\r\n--b--\r\n'
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /api/storage/productVersion/miniApp HTTP/1.1\r\nhost: localhost\r\n` +
      `authorization: ${authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\n` +
      `content-length: ${begin.length + rest.length + end.length}\r\n\r\n${begin}`,
  )
  const [first] = (await once(socket, 'data')) as [Buffer]
  expect(first.toString()).toMatch(/^HTTP\/1\.1 400 /)
  socket.write(rest)
  await new Promise<void>((sent, failed) =>
    socket.write(end, (error) => (error ? failed(error) : sent())),
  )
  socket.destroy()
})

test('a sender who leaves is not mistaken for a lost database', () => {
  const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
  expect(toProblemError(aborted as FastifyError, {}).code).toBe('invalid_request')
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  expect(toProblemError(reset as FastifyError, {}).code).toBe('database_unavailable')
})

test('a client that stops sending, or reading, does not hold its place forever', () => {
  expect(server.app.server.requestTimeout).toBeGreaterThan(0)
  expect(server.app.server.timeout).toBeGreaterThan(0)
})

test('the reference page loads nothing from another origin', async () => {
  const page = await server.app.inject('/api/docs/')
  expect(page.statusCode).toBe(200)
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/https:|http:|upgrade-insecure|validator|unsafe/)
  const { body } = await server.app.inject('/api/docs/static/swagger-initializer.js')
  expect(body).toContain('"validatorUrl":null')
})

test('the row that a database error repeats is kept out of the log', async () => {
  const error = await sql`select 1/0 from (select cast('a@grove.test' as int)) as t`
    .execute(server.platform.db)
    .catch((cause: Error) => cause)
  const refused = Object.assign(error as Error, { detail: 'Failing row contains (a@grove.test).' })
  // The log copies enumerable properties.
  expect(Object.keys(withoutRow(refused))).not.toContain('detail')
  expect(Object.keys(refused)).toContain('code')
})
