import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { createServer, type Server } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openEgress } from './egress.ts'
import { nameResolver, type Resolve } from './resolve-name.ts'

/** A name server that knows some names and stays silent about all others. */
let dns: Socket
let asked: string[]
let folder: string
let receiver: Server
let resolve: Resolve
let settings: { servers: string[]; hostsFile: string; resolverFile: string }
const zone: Record<string, readonly number[]> = {
  'good.example': [127, 0, 0, 1],
  'printer.office.example': [10, 0, 0, 9],
}

beforeAll(async () => {
  dns = createSocket('udp4', (query, { port, address }) => {
    const name = nameIn(query)
    asked.push(name)
    const found = zone[name]
    if (found) dns.send(answerTo(query, found), port, address)
    else if (name.startsWith('none')) dns.send(noSuchName(query), port, address)
  })
  await new Promise<void>((done) => dns.bind(0, '127.0.0.1', done))
  receiver = createServer((_request, response) => response.end('hello'))
  await new Promise<void>((done) => void receiver.listen(0, '127.0.0.1', done))
  folder = await mkdtemp(join(tmpdir(), 'grove-names-'))
  settings = {
    servers: [`127.0.0.1:${dns.address().port}`],
    hostsFile: join(folder, 'hosts'),
    resolverFile: join(folder, 'resolv.conf'),
  }
  await writeFile(settings.hostsFile, '10.1.2.3 Receiver receiver.lan # one\n::5 receiver\n')
  await writeFile(settings.resolverFile, 'nameserver 192.0.2.1\nsearch office.example\n')
  resolve = nameResolver(settings)
})
afterAll(async () => {
  dns.close()
  await new Promise((done) => void receiver.close(done))
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  asked = []
})

const nameIn = (query: Buffer): string => {
  const labels: string[] = []
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  return labels.join('.').toLowerCase()
}
const typeIn = (query: Buffer): number => query.readUInt16BE(12 + nameIn(query).length + 2)
const questionOf = (query: Buffer) => query.subarray(12, 12 + nameIn(query).length + 6)

/** RFC 1035 §4.1: the question, and the answer for type A. */
function answerTo(query: Buffer, address: readonly number[]): Buffer {
  const isA = typeIn(query) === 1
  const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]
  return Buffer.concat([head, questionOf(query), Buffer.from(isA ? record : [])])
}
const noSuchName = (query: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([...query.subarray(0, 2), 0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]),
    questionOf(query),
  ])

test('names without an answer do not delay any other name, in handlers or anywhere else @long', async () => {
  const { port } = receiver.address() as AddressInfo
  const egress = openEgress({ allowed: [{ address: '127.0.0.1', port }] }, resolve)
  const open = () =>
    egress.open({ hosts: ['*.example'], calls: 50, bytes: 10_000, milliseconds: 8000 })
  const ended: string[] = []
  const silent = open()
  const waiting = Array.from({ length: 20 }, async (_, n) => {
    const failed = await silent.fetch({ url: `http://silent${n}.example:${port}/` }).catch(Object)
    ended.push('silent')
    return failed as { code: string }
  })
  await vi.waitFor(() => expect(new Set(asked).size).toBe(20))
  expect(await open().fetch({ url: `http://good.example:${port}/` })).toMatchObject({
    status: 200,
    body: 'hello',
  })
  // Mail, storage and sign-in use the system's resolver threads.
  await Promise.all(Array.from({ length: 4 }, () => lookup('localhost')))
  expect(ended).toEqual([])
  // They do not wait forever either.
  expect(await Promise.all(waiting)).toEqual(
    waiting.map(() => expect.objectContaining({ code: 'unreachable' })),
  )
  await egress.close()
})

test('the hosts file comes first, and this machine is never looked up elsewhere', async () => {
  expect(await resolve('receiver')).toEqual(['10.1.2.3', '::5'])
  expect(await resolve('RECEIVER.lan.')).toEqual(['10.1.2.3'])
  expect(await resolve('app.localhost')).toEqual(['127.0.0.1', '::1'])
  expect(asked).toEqual([])
})

test('a name without a dot is looked up in the system’s search domains', async () => {
  expect(await resolve('printer')).toEqual(['10.0.0.9'])
  expect(await resolve('good.example')).toEqual(['127.0.0.1'])
  await expect(resolve('none.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('names are resolved even without these files', async () => {
  const bare = nameResolver({ ...settings, hostsFile: '/nowhere', resolverFile: '/nowhere' })
  expect(await bare('good.example')).toEqual(['127.0.0.1'])
})
