import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programArgs } from '../testing/run-script.ts'
import { openFolderObjects } from './folder-objects.ts'
import { copyMissing } from './move-objects.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3Objects } from './s3-objects.ts'
import { startS3Server, type S3Server } from './testing/s3-server.ts'

let server: S3Server
let data: string
let folder: ObjectStore
let bucket: ObjectStore
beforeEach(async () => {
  server = await startS3Server()
  data = await mkdtemp(join(tmpdir(), 'grove-move-'))
  folder = await openFolderObjects(join(data, 'objects'))
  bucket = await openS3Objects({ address: server.address, stagingFolder: join(data, 'sending') })
})
afterEach(async () => {
  await server.stop()
  await rm(data, { recursive: true })
})

async function add(objects: ObjectStore, bytes = randomBytes(1000)): Promise<string> {
  const staged = await objects.stage(Readable.from([bytes]))
  await staged.keep()
  return staged.sha256
}
const pathOf = (sha256: string) => join(data, 'objects', sha256.slice(0, 2), sha256)
const inBucket = () => new Set([...server.objects.keys()].map((key) => key.replace('grove/', '')))

test('copies what the other store lacks, including large files, and nothing twice', async () => {
  const names = new Set([await add(folder), await add(folder, randomBytes(9_000_000))])
  expect(await copyMissing(folder, bucket)).toEqual({ seen: 2, copied: 2, bytes: 9_001_000 })
  expect(inBucket()).toEqual(names)
  expect(await copyMissing(folder, bucket)).toEqual({ seen: 2, copied: 0, bytes: 0 })
  names.add(await add(folder))
  expect(await copyMissing(folder, bucket)).toMatchObject({ copied: 1 })
  expect(inBucket()).toEqual(names)
})

test('a stopped copy continues where it left off', async () => {
  for (let index = 0; index < 4; index += 1) await add(folder)
  let puts = 0
  server.fault = (request, response) => {
    if (request.method !== 'PUT' || ++puts <= 2) return false
    request.resume()
    response.writeHead(403).end()
    return true
  }
  await expect(copyMissing(folder, bucket)).rejects.toThrow('does not answer')
  expect(inBucket().size).toBe(2)
  server.fault = undefined
  expect(await copyMissing(folder, bucket)).toMatchObject({ seen: 4, copied: 2 })
})

test('a damaged file is never copied', async () => {
  const sha256 = await add(folder)
  await writeFile(pathOf(sha256), randomBytes(1000))
  await expect(copyMissing(folder, bucket)).rejects.toThrow('is damaged')
  await truncate(pathOf(sha256), 5)
  await expect(copyMissing(folder, bucket)).rejects.toThrow('is damaged')
  expect(inBucket().size).toBe(0)
})

/** Runs the command like npm. */
function run(args: readonly string[], environment: object) {
  const script = fileURLToPath(new URL('../../objects.ts', import.meta.url))
  const child = spawn(process.execPath, programArgs(script, ...args), {
    // A folder without a .env file.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { PATH: process.env['PATH'], GROVE_DATA: data, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()))
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
}

test('the command copies to the bucket and back, and says when to switch @long', async () => {
  const environment = { OBJECTS_URL: server.url }
  const names = [await add(folder), await add(folder)]
  const there = await run(['move', '--to', 's3'], environment)
  expect(there).toEqual({ code: 0, output: expect.stringContaining('2 files were copied') })
  expect(there.output).toContain('Stop the server, run this again, then start the server with')
  const again = await run(['move', '--to', 's3'], environment)
  expect(again).toEqual({ code: 0, output: expect.stringContaining('All 2 files are in both') })

  await rm(join(data, 'objects'), { recursive: true })
  const back = await run(['move', '--to', 'folder'], environment)
  expect(back).toEqual({ code: 0, output: expect.stringContaining('without OBJECTS_URL') })
  for (const name of names) {
    const object = await folder.read(name)
    expect((await buffer(object?.stream ?? Readable.from([]))).length).toBe(1000)
  }
  const unset = await run(['move', '--to', 's3'], {})
  expect(unset).toEqual({ code: 1, output: expect.stringContaining('Set OBJECTS_URL') })
  const help = await run(['move'], environment)
  expect(help).toEqual({ code: 0, output: expect.stringContaining('npm run objects -- move') })
}, 60_000)
