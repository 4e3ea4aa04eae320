import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFolderObjects } from './folder-objects.ts'
import type { ObjectStore } from './object-store.ts'
import { readObjectsUrl } from './s3-address.ts'
import { openS3Objects } from './s3-objects.ts'
import { createSendS3 } from './s3-request.ts'
import { startS3Server, type S3Server } from './testing/s3-server.ts'

let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
})
afterAll(() => server.stop())

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-objects-'))
  server.objects.clear()
})
afterEach(() => rm(folder, { recursive: true, force: true }))
const stagingFolder = () => join(folder, 'staged')

interface Kind {
  open: () => Promise<ObjectStore>
  /** The stored bytes, read without the store. */
  stored: (sha256: string) => Promise<Buffer>
  overwrite: (sha256: string, bytes: Buffer) => Promise<void>
}

const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256)
const kinds: Record<string, Kind> = {
  'a folder': {
    open: () => openFolderObjects(folder),
    stored: (sha256) => readFile(pathOf(sha256)),
    overwrite: (sha256, bytes) => writeFile(pathOf(sha256), bytes),
  },
  'an S3 bucket': {
    open: () => openS3Objects({ address: server.address, stagingFolder: stagingFolder() }),
    stored: async (sha256) => server.objects.get(`grove/${sha256}`) ?? Buffer.alloc(0),
    overwrite: async (sha256, bytes) => void server.objects.set(`grove/${sha256}`, bytes),
  },
}

// A service of your own, which keeps what the tests store:
// GROVE_TEST_S3_URL=s3://key:secret@host/bucket/prefix
const service = readObjectsUrl({ OBJECTS_URL: process.env['GROVE_TEST_S3_URL'] })
if (service) {
  const send = createSendS3(service)
  const open = () => openS3Objects({ address: service, stagingFolder: stagingFolder() })
  kinds['a bucket of GROVE_TEST_S3_URL'] = {
    open,
    stored: async (sha256) => {
      const object = await (await open()).read(sha256)
      return object ? buffer(object.stream) : Buffer.alloc(0)
    },
    overwrite: async (sha256, bytes) => {
      const path = join(folder, 'other')
      await writeFile(path, bytes)
      const hash = createHash('sha256').update(bytes).digest('hex')
      const body = { path, start: 0, bytes: bytes.length, sha256: hash }
      const answer = await send({ method: 'PUT', name: service.prefix + sha256, body })
      answer.resume()
    },
  }
}

describe.each(Object.entries(kinds))('objects in %s', (_, { open, stored, overwrite }) => {
  const readAll = async (objects: ObjectStore, sha256: string) => {
    const found = await objects.read(sha256)
    return found && { bytes: found.bytes, content: await buffer(found.stream) }
  }
  const keep = async (objects: ObjectStore, bytes: Buffer) => {
    const staged = await objects.stage(Readable.from([bytes]))
    await staged.keep()
    await staged.discard()
    return staged.sha256
  }

  // A part of a multipart upload has 8 MiB.
  test.each([1, 300_000, 20_000_000])(
    'an object of %i bytes is read back by its hash',
    async (size) => {
      const objects = await open()
      const bytes = randomBytes(size)
      const staged = await objects.stage(
        Readable.from([bytes.subarray(0, size / 2), bytes.subarray(size / 2)]),
      )
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      expect(staged).toMatchObject({ bytes: size, sha256 })
      // Nothing is visible before it is kept.
      expect(await objects.read(sha256)).toBeUndefined()
      expect(await objects.size(sha256)).toBeUndefined()
      void staged.flush()
      await staged.keep()
      await staged.discard()
      expect(await objects.size(sha256)).toBe(size)
      const found = await readAll(objects, sha256)
      expect([found?.bytes, found?.content.equals(bytes)]).toEqual([size, true])
      expect((await stored(sha256)).equals(bytes)).toBe(true)
      expect(await readdir(stagingFolder())).toEqual([])
    },
  )

  test('an interrupted source leaves nothing behind', async () => {
    const objects = await open()
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        throw new Error('connection lost')
      })(),
    )
    await expect(objects.stage(source)).rejects.toThrow('connection lost')
    expect(await readdir(stagingFolder())).toEqual([])
  })

  test('leftovers of an ended process are swept, at startup and later, but no upload of another process', async () => {
    const objects = await open()
    const abandon = async () => {
      const old = join(stagingFolder(), 'left-over')
      await writeFile(old, 'x')
      const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000)
      await utimes(old, hoursAgo, hoursAgo)
    }
    await abandon()
    const elsewhere = await open()
    expect(await readdir(stagingFolder())).toEqual([])

    const running = await elsewhere.stage(Readable.from([Buffer.from('running')]))
    await abandon()
    await objects.sweep()
    await running.keep()
    await running.discard()
    expect(await readdir(stagingFolder())).toEqual([])
    expect((await readAll(objects, running.sha256))?.content.toString()).toBe('running')
  })

  test('a ping writes and leaves nothing', async () => {
    const objects = await open()
    await objects.ping()
    expect(await readdir(stagingFolder())).toEqual([])
    await rm(stagingFolder(), { recursive: true })
    await expect(objects.ping()).rejects.toThrow('ENOENT')
  })

  test('keeping the same bytes twice is harmless and immediate', async () => {
    const objects = await open()
    const bytes = randomBytes(9_000_000)
    const [first] = await Promise.all([1, 2].map(() => keep(objects, bytes)))
    expect((await readAll(objects, first ?? ''))?.content.equals(bytes)).toBe(true)
  })

  test('all names are listed, but none that was removed', async () => {
    const objects = await open()
    const listed = async () => {
      const found = new Set<string>()
      for await (const name of objects.list()) found.add(name)
      return found
    }
    const before = await listed()
    const names: string[] = []
    for (let index = 0; index < 7; index += 1) names.push(await keep(objects, randomBytes(9)))
    expect(await listed()).toEqual(new Set([...before, ...names]))
    for (const name of names.splice(0, 3)) await objects.remove(name)
    expect(await listed()).toEqual(new Set([...before, ...names]))
    // It is already gone.
    await objects.remove('0'.repeat(64))
  })

  test('objects that are opened but not read keep nothing open', async () => {
    const objects = await open()
    const sha256 = await keep(objects, randomBytes(1_000_000))
    const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)
    const before = openFiles()
    // More than the maximum number of connections.
    for (let round = 0; round < 40; round += 1) {
      const found = await objects.read(sha256)
      found?.stream.destroy()
    }
    await vi.waitFor(() => expect(openFiles()).toBeLessThan(before + 10))
  })

  test('different bytes of the same length are never read to their end', async () => {
    const objects = await open()
    const bytes = randomBytes(200_000)
    const sha256 = await keep(objects, bytes)
    bytes[150_000] = (bytes[150_000] ?? 0) ^ 1
    await overwrite(sha256, bytes)
    await expect(readAll(objects, sha256)).rejects.toThrow('is damaged')
  })

  test('an object that was just hashed is read quickly, and hashed again after it was written', async () => {
    const objects = await open()
    const bytes = randomBytes(200_000)
    const sha256 = await keep(objects, bytes)
    const readQuickly = async () => {
      const found = await objects.read(sha256, { isQuick: true })
      return found && buffer(found.stream)
    }
    for (let round = 0; round < 3; round += 1)
      expect((await readQuickly())?.equals(bytes)).toBe(true)
    bytes[150_000] = (bytes[150_000] ?? 0) ^ 1
    await overwrite(sha256, bytes)
    await expect(readQuickly()).rejects.toThrow('is damaged')
  })
})
