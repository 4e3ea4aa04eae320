import { createHash, createHmac, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packBackup, unpackBackup } from './backup-file.ts'
import { olderBackup } from './testing/older-backup.ts'

const secret = randomBytes(32).toString('hex')
const other = randomBytes(32).toString('hex')
const entries = { about: '{"migrations":[]}', 'table auth.account': '{"id":1}\n', secret: 'abc' }
const damage = 'it was truncated or changed'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'grove-backup-file-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function* listed(given: Record<string, string>) {
  for (const [name, text] of Object.entries(given))
    yield { name, content: Readable.from([Buffer.from(text)]) as AsyncIterable<Buffer> }
}

/** A backup as plain bytes. */
const made = async (key: string | undefined, given: Record<string, string> = entries) =>
  gunzipSync(await buffer(packBackup(listed(given), key)))

/** What the reader makes of these bytes. */
async function read(bytes: Buffer, key: string | undefined) {
  const file = join(root, randomBytes(8).toString('hex'))
  await writeFile(file, gzipSync(bytes))
  const found: Record<string, string> = {}
  const content = await unpackBackup(file, key, async (entry) => {
    found[entry.name] = (await buffer(Readable.from(entry.content))).toString()
  })
  return { ...content, found }
}

/** The two header lines, and each entry with its hash; the last is the end. */
function partsOf(bytes: Buffer): { start: Buffer; parts: Buffer[] } {
  const lineEnd = (from: number) => bytes.indexOf(10, from) + 1
  let at = lineEnd(lineEnd(0))
  const start = bytes.subarray(0, at)
  const parts: Buffer[] = []
  while (at < bytes.length) {
    const from = at
    at = lineEnd(at)
    const isEnd = bytes.subarray(from, at).includes('{"end"')
    for (let length = isEnd ? 0 : -1; length !== 0; at += length) {
      length = bytes.readUInt32BE(at)
      at += 4
    }
    at += 32
    parts.push(bytes.subarray(from, at))
  }
  return { start, parts }
}

test('a backup made with GROVE_SECRET is keyed, and can only be read with that secret', async () => {
  const bytes = await made(secret)
  expect(await read(bytes, secret)).toEqual({ entries: 3, isKeyed: true, found: entries })
  expect(bytes.includes(secret)).toBe(false)
  for (const key of [other, undefined])
    await expect(read(bytes, key)).rejects.toThrow('keyed with the GROVE_SECRET')
})

test('without GROVE_SECRET a backup says that its hashes only reveal damage', async () => {
  const bytes = await made(undefined)
  expect(bytes.toString().split('\n')[1]).toBe('{"hash":"sha256","shows":"damage"}')
  expect(await read(bytes, undefined)).toEqual({ entries: 3, isKeyed: false, found: entries })
  // Restored where a secret has been set since: readable, but not taken for keyed.
  expect(await read(bytes, secret)).toMatchObject({ isKeyed: false })
})

/** A backup forged by someone who knows the format, with the hash line of the genuine one. */
function forged({ start }: { start: Buffer }, given: Record<string, string>, key?: string): Buffer {
  const next = () => (key === undefined ? createHash('sha256') : createHmac('sha256', key))
  let last = Buffer.from(start.toString().split('\n')[1] ?? '')
  const parts: Buffer[] = [start]
  const close = (head: string, content: Buffer) => {
    last = next().update(last).update(`\n${head}\n`).update(content).digest()
    return last
  }
  for (const [name, text] of Object.entries(given)) {
    const head = JSON.stringify({ name })
    const content = Buffer.from(text)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    const hash = close(head, content)
    parts.push(Buffer.from(`${head}\n`), length, content, Buffer.alloc(4), hash)
  }
  const end = JSON.stringify({ end: Object.keys(given).length })
  return Buffer.concat([...parts, Buffer.from(`${end}\n`), close(end, Buffer.alloc(0))])
}

test('nobody can forge a keyed backup without the secret', async () => {
  const mine = { ...entries, 'table auth.account': '{"id":2}\n' }
  // The format of a backup without a secret.
  const open = partsOf(await made(undefined))
  expect(await read(forged(open, mine), secret)).toMatchObject({ isKeyed: false, found: mine })
  const keyed = partsOf(await made(secret))
  const shown = /"keyId":"([^"]+)"/.exec(keyed.start.toString())?.[1]
  for (const key of [undefined, other, shown, ''])
    await expect(read(forged(keyed, mine, key), secret)).rejects.toThrow(damage)
})

test('no entry can be omitted, moved, or inserted from another backup of the same Grove', async () => {
  const { start, parts } = partsOf(await made(secret))
  const [about = start, table = start, kept = start, end = start] = parts
  const older = partsOf(await made(secret, { ...entries, about: '{"migrations":["x"]}' })).parts
  const shorter = partsOf(await made(secret, { about: entries.about })).parts.at(-1) ?? start
  for (const changed of [
    [about, kept, table, end],
    [about, table, end],
    [about, table, shorter],
    [about, older[1] ?? start, kept, end],
    [about, table, kept],
  ])
    await expect(read(Buffer.concat([start, ...changed]), secret)).rejects.toThrow(damage)
})

test('every changed byte and every truncation is detected, keyed or not @long', async () => {
  for (const key of [secret, undefined]) {
    const bytes = await made(key)
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      await expect(read(changed, key), `byte ${at}`).rejects.toThrow()
      await expect(read(bytes.subarray(0, at), key), `cut at ${at}`).rejects.toThrow(damage)
    }
  }
}, 30_000)

test('a backup of an earlier version is read, and is never taken for keyed', async () => {
  const bytes = gunzipSync(olderBackup(entries))
  for (const key of [secret, undefined])
    expect(await read(bytes, key)).toEqual({ entries: 3, isKeyed: false, found: entries })
  const changed = Buffer.from(bytes)
  const middle = Math.floor(bytes.length / 2)
  changed[middle] = (changed[middle] ?? 0) ^ 1
  await expect(read(changed, secret)).rejects.toThrow(damage)
})
