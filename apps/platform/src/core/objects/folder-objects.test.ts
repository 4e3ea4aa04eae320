import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFolderObjects } from './folder-objects.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-objects-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a kept object is read back by the hash of its bytes', async () => {
  const objects = await openFolderObjects(folder)
  const bytes = randomBytes(300_000)
  const staged = await objects.stage(
    Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)]),
  )
  expect(staged).toMatchObject({
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  expect(await objects.read(staged.sha256)).toBeUndefined()
  await staged.keep()
  const found = await objects.read(staged.sha256)
  expect(found?.bytes).toBe(bytes.length)
  expect((await buffer(found?.stream ?? Readable.from([]))).equals(bytes)).toBe(true)
})

test('a source that breaks off leaves nothing behind', async () => {
  const objects = await openFolderObjects(folder)
  const source = Readable.from(
    (async function* () {
      yield Buffer.from('half')
      throw new Error('connection lost')
    })(),
  )
  await expect(objects.stage(source)).rejects.toThrow('connection lost')
  expect(await readdir(join(folder, 'staged'))).toEqual([])
})

test('what an ended process left is cleared at a later start, and no upload that runs elsewhere', async () => {
  await openFolderObjects(folder)
  const old = join(folder, 'staged', 'left-over')
  await writeFile(old, 'x')
  const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000)
  await utimes(old, hoursAgo, hoursAgo)
  const elsewhere = await openFolderObjects(folder)
  expect(await readdir(join(folder, 'staged'))).toEqual([])

  const running = await elsewhere.stage(Readable.from([Buffer.from('running')]))
  const objects = await openFolderObjects(folder)
  await running.keep()
  expect((await objects.read(running.sha256))?.bytes).toBe(7)
})

test('a ping writes and leaves nothing', async () => {
  const objects = await openFolderObjects(folder)
  await objects.ping()
  expect(await readdir(join(folder, 'staged'))).toEqual([])
  await rm(join(folder, 'staged'), { recursive: true })
  await expect(objects.ping()).rejects.toThrow('ENOENT')
})

test('keeping the same bytes twice is harmless', async () => {
  const objects = await openFolderObjects(folder)
  const first = await objects.stage(Readable.from([Buffer.from('same')]))
  const second = await objects.stage(Readable.from([Buffer.from('same')]))
  await first.keep()
  await second.keep()
  expect((await objects.read(first.sha256))?.bytes).toBe(4)
})
