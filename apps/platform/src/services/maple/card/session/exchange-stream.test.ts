import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Exchange } from '@grove/contract/maple/card/session'
import { getData } from '@grove/secure-element/host/commands'
import { processActor } from '../../../../core/actor.ts'
import { openSession } from './open-session.ts'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
let port: number
beforeAll(async () => {
  server = await startSessionServer()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
})
afterAll(() => server.close())

/** A watcher of a session over a real connection. */
async function watch(id: string, headers: Record<string, string> = server.admin) {
  const request = get({
    port,
    host: '127.0.0.1',
    path: `/api/maple/sessions/se/${id}/stream`,
    headers,
    agent: false,
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  // Leaving is an error of the connection, which is meant.
  response.on('error', () => {})
  const ended = new Promise((resolve) => response.once('close', resolve))
  return {
    response,
    ended,
    text: () => text,
    seqs: () => [...text.matchAll(/^event: exchange\nid: (\d+)$/gm)].map(([, seq]) => Number(seq)),
    events: () => [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name),
    close: () => request.destroy(),
  }
}

const upTo = (last: number, from = 1) =>
  Array.from({ length: last - from + 1 }, (_, at) => from + at)
const wait = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 10 })

const openProgram = async () =>
  openSession(server.context, processActor('test'), {
    cplc: await server.card(),
    purpose: 'program',
  })

test('several watchers see every exchange once and in order, and the end', async () => {
  const session = await openProgram()
  const early = await watch(session.id)
  expect(early.response.headers['content-type']).toContain('text/event-stream')
  for (let count = 0; count < 150; count++) await session.send(getData({ tag: '9F7F' }))
  const late = await watch(session.id)
  for (let count = 0; count < 150; count++) await session.send(getData({ tag: '9F7F' }))
  await session.end()
  await Promise.all([early.ended, late.ended])
  for (const watcher of [early, late]) {
    expect(watcher.seqs()).toEqual(upTo(300))
    expect(watcher.events().at(-1)).toBe('end')
  }
})

test('a watcher that reconnects continues after the last exchange that it has', async () => {
  const session = await openProgram()
  const first = await watch(session.id)
  for (let count = 0; count < 40; count++) await session.send(getData({ tag: '9F7F' }))
  await wait(() => expect(first.seqs().length).toBeGreaterThan(10))
  first.close()
  const seen = first.seqs()
  const again = await watch(session.id, {
    ...server.admin,
    'last-event-id': String(seen.at(-1)),
  })
  await session.send(getData({ tag: '66' }))
  await session.end()
  await again.ended
  expect([...seen, ...again.seqs()]).toEqual(upTo(41))
})

test('a slow watcher holds up nothing, and gets everything when it reads @long', async () => {
  const session = await openProgram()
  const slow = await watch(session.id)
  slow.response.pause()
  for (let count = 0; count < 300; count++) await session.select()
  await session.end()
  expect(slow.seqs().length).toBeLessThan(300)
  slow.response.resume()
  await slow.ended
  expect(slow.seqs()).toEqual(upTo(300))
})

test('a command without a reply is shown, and so is who holds the session', async () => {
  const cplc = await server.card()
  const { id } = await server.open(cplc)
  const watcher = await watch(id)
  await server.breakCard(cplc, { delay: 300 })
  const sent = server.command(id, 'MplGetData', { tag: '9F7F' })
  await wait(() => expect(watcher.events()).toContain('waiting'))
  expect(watcher.events()).not.toContain('exchange')
  await sent
  await wait(() => expect(watcher.seqs()).toEqual([1]))
  const other = await server.bearer(['ADMIN'])
  await server.ask('POST', `/${id}/takeOver`, undefined, other)
  await wait(() => expect(watcher.events().filter((name) => name === 'session')).toHaveLength(2))
  watcher.close()
})

test('a stream ends when the token of its watcher expires', async () => {
  const { id } = await server.open(await server.card())
  let shiftMs = 0
  const now = vi.spyOn(server.context, 'now').mockImplementation(() => Date.now() + shiftMs)
  const watcher = await watch(id)
  await wait(() => expect(watcher.events()).toEqual(['session']))
  shiftMs = 601_000
  await watcher.ended
  expect(watcher.events()).toEqual(['session'])
  now.mockRestore()
})

test('the events have the form of the list', async () => {
  const session = await openProgram()
  await session.send(getData({ tag: '9F7F' }))
  await session.end()
  const text = await server.streamed(session.id)
  const [, data = ''] = /^event: exchange\nid: 1\ndata: (.*)$/m.exec(text) ?? []
  expect(JSON.parse(data)).toEqual((await server.exchanges(session.id)).items[0] as Exchange)
  const [, end = ''] = /^event: end\ndata: (.*)$/m.exec(text) ?? []
  expect(JSON.parse(end)).toEqual(await server.read(session.id))
})
