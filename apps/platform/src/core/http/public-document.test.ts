import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { services } from '../../services.ts'
import { startTestServer, type TestServer } from '../testing/test-platform.ts'

let server: TestServer
let port: number
beforeAll(async () => {
  server = await startTestServer(services.filter(({ name }) => name !== 'console'))
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  port = (server.app.server.address() as AddressInfo).port
})
afterAll(() => server.close())

const url = '/api/openapi.json'
const get = (headers: Record<string, string> = {}) => server.app.inject({ url, headers })

describe('the document of all calls', () => {
  test('has the same content in every encoding, which the caller chooses', async () => {
    const plain = await get({ 'accept-encoding': 'br;q=0' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const br = await get({ 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await get({ 'accept-encoding': 'gzip' })
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual([
      'br',
      'gzip',
    ])
    expect(brotliDecompressSync(br.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(br.rawPayload.length).toBeLessThan(plain.rawPayload.length / 15)
    expect(plain.headers['content-type']).toMatch(/^application\/json/)
    for (const { headers } of [plain, br, gzip])
      expect(headers).toMatchObject({ vary: 'accept-encoding', etag: plain.headers['etag'] })
  })

  test('is not sent again to a caller that has it', async () => {
    const etag = String((await get()).headers['etag'])
    for (const tag of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await get({ 'if-none-match': tag })
      expect([tag, again.statusCode, again.rawPayload.length]).toEqual([tag, 304, 0])
      expect(again.headers['etag']).toBe(etag)
    }
    expect((await get({ 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('is serialised once, however often it is requested, also by the page that shows it', async () => {
    await get()
    const stringify = vi.spyOn(JSON, 'stringify')
    for (let turn = 0; turn < 5; turn++) expect((await get()).statusCode).toBe(200)
    const lengths = stringify.mock.results.map(({ value }) => String(value).length)
    stringify.mockRestore()
    expect(Math.max(0, ...lengths)).toBeLessThan(10_000)
    for (const path of ['/api/docs/json', '/api/docs/yaml']) {
      const { statusCode, headers } = await server.app.inject(path)
      expect([path, statusCode, headers.location]).toEqual([path, 308, url])
    }
  })

  test('uses no memory for connections that do not read it', async () => {
    const { length } = (await get()).rawPayload
    const used = () => {
      const { heapUsed, arrayBuffers, external } = process.memoryUsage()
      return heapUsed + arrayBuffers + external
    }
    const before = used()
    const sockets: Socket[] = []
    for (let index = 0; index < 60; index++) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(`GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      sockets.push(socket)
      // The headers have arrived; nothing beyond the first buffer is read.
      await once(socket, 'readable')
    }
    expect((used() - before) / length).toBeLessThan(8)
    for (const socket of sockets) socket.destroy()
  })
})

test('no public response at a known address is large and always sent in full', async () => {
  const paths = ['/stage.json', '/.well-known/jwks.json', '/.well-known/package-keys.json', url]
  for (const path of paths) {
    const { rawPayload, headers } = await server.app.inject(path)
    expect([path, rawPayload.length < 16_384 || headers['etag'] !== undefined]).toEqual([
      path,
      true,
    ])
  }
})
