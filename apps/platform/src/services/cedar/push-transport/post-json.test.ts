import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { objectOf, openConnections, retryAfterMs } from './post-json.ts'

let reply: (response: ServerResponse) => void
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => reply(response))
})
let url: URL
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const { post } = openConnections(2, 300)
const send = () => post(url, '{}', { headers: {}, largestAnswer: 100 })

it('a server that stays silent, or sends a byte at a time, times out', async () => {
  reply = () => {}
  await expect(send()).rejects.toMatchObject({ reason: 'timeout' })
  reply = (response) => {
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  }
  await expect(send()).rejects.toMatchObject({ reason: 'timeout' })
})

it('an answer that is too large or truncated is not used', async () => {
  reply = (response) => void response.end('x'.repeat(101))
  await expect(send()).rejects.toMatchObject({ reason: 'large_answer' })
  reply = (response) => {
    response.writeHead(200, { 'content-length': 50 })
    response.write('half')
    setImmediate(() => response.destroy())
  }
  await expect(send()).rejects.toMatchObject({ reason: 'connection' })
  reply = (response) => void response.end('x'.repeat(100))
  expect((await send()).text).toHaveLength(100)
})

it('a redirect is an answer, not a target for people’s tokens', async () => {
  reply = (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
  expect((await send()).status).toBe(307)
})

it('Retry-After is seconds or a date, a day at most', () => {
  const now = Date.parse('2026-03-01T00:00:00Z')
  const of = (value: string | undefined) => retryAfterMs({ 'retry-after': value }, now)
  expect(of('120')).toBe(120_000)
  expect(of('Sun, 01 Mar 2026 00:01:00 GMT')).toBe(60_000)
  expect(of('Sat, 28 Feb 2026 00:01:00 GMT')).toBe(0)
  expect(of('99999999')).toBe(86_400_000)
  for (const value of [undefined, '', 'soon', '-5']) expect(of(value) ?? 0).toBe(0)
})

it('only a JSON object is accepted as an object', () => {
  for (const text of ['', '[]', 'null', '1', '{', '<html>']) expect(objectOf(text)).toBeUndefined()
  expect(objectOf('{"a":1}')).toEqual({ a: 1 })
})
