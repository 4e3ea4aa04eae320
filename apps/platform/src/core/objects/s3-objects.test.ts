import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ObjectsUnavailableError, type ObjectStore } from './object-store.ts'
import { openS3Objects, type S3Options } from './s3-objects.ts'
import { startS3Server, type Fault, type S3Server } from './testing/s3-server.ts'

let server: S3Server
let folder: string
beforeEach(async () => {
  server = await startS3Server()
  folder = await mkdtemp(join(tmpdir(), 'grove-s3-'))
})
afterEach(async () => {
  server.fault = undefined
  await server.stop()
  await rm(folder, { recursive: true })
})

const open = (options: Partial<S3Options> = {}) =>
  openS3Objects({ address: server.address, stagingFolder: join(folder, 'staged'), ...options })

const stage = (objects: ObjectStore, bytes: Buffer) => objects.stage(Readable.from([bytes]))
const keep = async (objects: ObjectStore, bytes: Buffer) => {
  const staged = await stage(objects, bytes)
  await staged.keep()
  return staged.sha256
}
const read = async (objects: ObjectStore, sha256: string) => {
  const found = await objects.read(sha256)
  return found && buffer(found.stream)
}
const refuse =
  (status: number, code: string, which = /./): Fault =>
  (request, response) => {
    if (!which.test(`${request.method} ${request.url}`)) return false
    request.resume()
    response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    return true
  }
/** The fault for this many requests, then none. */
const times = (count: number, fault: Fault): Fault => {
  let left = count
  return (request, response) => left > 0 && fault(request, response) && left-- > 0
}

test('a large object is sent in parts, and does not exist before the last of them', async () => {
  const objects = await open()
  const bytes = randomBytes(20_000_000)
  const seen: (number | undefined)[] = []
  server.fault = (request) => {
    if (request.method === 'PUT') seen.push(server.objects.size)
    return false
  }
  const sha256 = await keep(objects, bytes)
  expect(seen).toEqual([0, 0, 0])
  expect(server.uploads.size).toBe(0)
  expect((await read(objects, sha256))?.equals(bytes)).toBe(true)
})

test('an interrupted upload continues where it left off, even in another process', async () => {
  const bytes = randomBytes(20_000_000)
  server.fault = refuse(403, 'AccessDenied', /partNumber=3/)
  await expect(keep(await open(), bytes)).rejects.toThrow(ObjectsUnavailableError)
  expect([...server.uploads.values()].map(({ parts }) => parts.size)).toEqual([2])

  server.fault = undefined
  server.requests.length = 0
  const sha256 = await keep(await open(), bytes)
  expect(server.requests.filter((line) => line.startsWith('PUT'))).toEqual([
    expect.stringContaining('partNumber=3'),
  ])
  expect(server.objects.get(`grove/${sha256}`)?.equals(bytes)).toBe(true)
})

test('a part left over from other bytes is sent again', async () => {
  const bytes = randomBytes(10_000_000)
  server.fault = refuse(403, 'AccessDenied', /partNumber=2/)
  const objects = await open()
  await expect(keep(objects, bytes)).rejects.toThrow(ObjectsUnavailableError)
  for (const { parts } of server.uploads.values()) parts.set(1, randomBytes(8 * 1024 * 1024))
  server.fault = undefined
  const sha256 = await keep(objects, bytes)
  expect(server.objects.get(`grove/${sha256}`)?.equals(bytes)).toBe(true)
})

test('parts that have not progressed for a day are swept', async () => {
  const objects = await open()
  server.fault = refuse(403, 'AccessDenied', /partNumber=2/)
  await expect(keep(objects, randomBytes(9_000_000))).rejects.toThrow(ObjectsUnavailableError)
  server.fault = undefined
  const foreign = { key: 'other/x', startedAt: new Date(0), parts: new Map() }
  server.uploads.set('foreign', foreign)
  await objects.sweep()
  expect(server.uploads.size).toBe(2)
  await (await open({ now: () => Date.now() + 25 * 3_600_000 })).sweep()
  expect([...server.uploads.keys()]).toEqual(['foreign'])
})

test('a transient failure goes unnoticed', async () => {
  const objects = await open()
  server.fault = times(2, refuse(500, 'InternalError'))
  const sha256 = await keep(objects, Buffer.from('patient'))
  server.fault = times(2, (request) => {
    request.socket.destroy()
    return true
  })
  expect((await read(objects, sha256))?.toString()).toBe('patient')
})

test('a lasting failure is an error that the caller can act on @long', async () => {
  const objects = await open({ idleMs: 1500 })
  const sha256 = await keep(objects, Buffer.from('kept'))
  const faults: Record<string, Fault> = {
    500: refuse(500, 'InternalError'),
    503: refuse(503, 'SlowDown'),
    silent: () => true,
    'a revoked key': refuse(403, 'InvalidAccessKeyId'),
  }
  for (const [name, fault] of Object.entries(faults)) {
    server.fault = fault
    const settled = await Promise.allSettled([
      read(objects, sha256),
      keep(objects, Buffer.from('new')),
      objects.ping(),
    ])
    for (const result of settled)
      expect([name, result]).toEqual([
        name,
        { status: 'rejected', reason: expect.any(ObjectsUnavailableError) },
      ])
  }
  server.fault = refuse(507, 'XMinioStorageFull')
  await expect(keep(objects, Buffer.from('new'))).rejects.toMatchObject({ code: 'ENOSPC' })
  // The store that was unavailable is back.
  server.fault = undefined
  await server.stop()
  await expect(objects.ping()).rejects.toThrow(ObjectsUnavailableError)
  await server.restart()
  await objects.ping()
  expect((await read(objects, sha256))?.toString()).toBe('kept')
})

test('an interrupted body is read to its end from where it broke', async () => {
  const objects = await open()
  const bytes = randomBytes(1_000_000)
  const sha256 = await keep(objects, bytes)
  const cut: Fault = (request, response) => {
    if (request.method !== 'GET') return false
    const from = Number(/\d+/.exec(request.headers.range ?? '0')?.[0])
    const status = request.headers.range === undefined ? 200 : 206
    response.writeHead(status, { 'content-length': bytes.length - from })
    response.write(bytes.subarray(from, from + 300_000), () => response.destroy())
    return true
  }
  server.fault = times(3, cut)
  expect((await read(objects, sha256))?.equals(bytes)).toBe(true)
  // A stream that stalls forever ends with an error.
  server.fault = (request, response) => {
    if (request.method !== 'GET') return false
    response.writeHead(request.headers.range === undefined ? 200 : 206, { 'content-length': 9 })
    response.flushHeaders()
    response.destroy()
    return true
  }
  await expect(read(objects, sha256)).rejects.toThrow()
})

test('an object that arrived shorter than it was sent is not accepted', async () => {
  const objects = await open()
  server.fault = (request) => {
    if (request.method === 'HEAD')
      for (const [key, bytes] of server.objects) server.objects.set(key, bytes.subarray(1))
    return false
  }
  await expect(keep(objects, Buffer.from('whole'))).rejects.toThrow('not as long')
})

test('a bucket that refuses us prevents startup, but an unavailable one does not @long', async () => {
  const address = { ...server.address, secretAccessKey: 'wrong' }
  await expect(open({ address })).rejects.toThrow(
    'The bucket grove-test at 127.0.0.1:' + server.address.host.split(':')[1],
  )
  await expect(open({ address: { ...server.address, bucket: 'none' } })).rejects.toThrow('(404)')
  await server.stop()
  const objects = await open()
  await expect(objects.ping()).rejects.toThrow(ObjectsUnavailableError)
  await server.restart()
  await objects.ping()
})

test.each([
  [20, '20 minutes ahead of'],
  [-75, '75 minutes behind'],
])('a clock that is %i minutes off is blamed, not the bucket', async (minutes, words) => {
  server.fault = refuse(403, 'RequestTimeTooSkewed')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  try {
    await expect(open()).rejects.toThrow(`The clock of this machine is ${words} that of the bucket`)
  } finally {
    vi.useRealTimers()
  }
  await expect(open()).rejects.toThrow('refuses the connection (403): make it')
})
