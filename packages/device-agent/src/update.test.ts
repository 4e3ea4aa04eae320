import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { installBy, updater } from './update.ts'

const image = randomBytes(200_000)
const sha256 = createHash('sha256').update(image).digest('hex')
const d = { url: '/image', sha256, size: image.length, version: '2.0.0' }

let folder = ''
let server: Server
let platform = ''
let asked: IncomingHttpHeaders[] = []
/** Sizes of the responses, each of which then breaks off. */
let breaksAfter: number[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-update-'))
  asked = []
  breaksAfter = []
  server = createServer((request, response) => {
    asked.push(request.headers)
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const rest = image.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': rest.length,
      ...(from > 0 && { 'content-range': `bytes ${from}-${image.length - 1}/${image.length}` }),
    })
    const most = breaksAfter.shift()
    if (most === undefined) return response.end(rest)
    response.write(rest.subarray(0, most))
    const file = join(folder, 'images', `${sha256}.image`)
    const arrived = async () => expect((await stat(file)).size).toBe(from + most)
    void vi.waitFor(arrived, { timeout: 10_000 }).finally(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  platform = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true, force: true })
})

/** Copies the image, and reports its version as running. */
const installs = `const [file] = process.argv.slice(-1)
require('fs').copyFileSync(file, __dirname + '/installed')
require('fs').writeFileSync(__dirname + '/version', process.env.GROVE_VERSION)`

async function open(program = installs, more: Partial<Parameters<typeof updater>[0]> = {}) {
  const script = join(folder, 'install.cjs')
  await writeFile(script, program)
  await writeFile(join(folder, 'version'), '1.0.0')
  const { readFileSync } = await import('node:fs')
  const { signal } = new AbortController()
  return updater({
    platform,
    secret: 'secret',
    folder: join(folder, 'images'),
    install: installBy(`${process.execPath} ${script}`, signal),
    firmware: () => readFileSync(join(folder, 'version'), 'utf8'),
    say: () => {},
    signal,
    pause: () => 1,
    ...more,
  })
}

test('an interrupted download continues from there, and the image is installed as a whole', async () => {
  breaksAfter = [50_000, 60_000]
  const update = await open()
  expect(await update(d)).toEqual({ version: '2.0.0', isInstalled: true })
  expect((await readFile(join(folder, 'installed'))).equals(image)).toBe(true)
  expect(asked.map(({ range }) => range !== undefined)).toEqual([false, true, true])
  expect(asked.every(({ authorization }) => authorization === 'Bearer secret')).toBe(true)
})

test('an update to the running version installs nothing again', async () => {
  const update = await open()
  await update(d)
  const before = asked.length
  expect(await update(d)).toEqual({ version: '2.0.0', isInstalled: true })
  expect(asked.length).toBe(before)
})

test('an image with another hash is not installed', async () => {
  const update = await open()
  await expect(update({ ...d, sha256: '0'.repeat(64) })).rejects.toThrow(/another SHA-256/)
  await expect(readFile(join(folder, 'installed'))).rejects.toThrow()
})

test('more bytes than announced are refused', async () => {
  const update = await open()
  await expect(update({ ...d, size: 1000 })).rejects.toThrow(/more than 1000 bytes/)
})

test('the secret is sent only to the platform', async () => {
  const update = await open(installs, { platform: 'http://grove.test' })
  await update({ ...d, url: `${platform}/image` })
  expect(asked.map(({ authorization }) => authorization)).toEqual([undefined])
})

test('an installation that fails says why', async () => {
  const update = await open(`console.error('The slot is locked.'); process.exit(3)`)
  await expect(update(d)).rejects.toThrow('The installation ended with 3: The slot is locked.')
})

test.each([
  [null],
  [{}],
  [{ ...d, sha256: 'x' }],
  [{ ...d, size: -1 }],
  [{ ...d, version: 'a b' }],
])('%o is not an update', async (wrong) => {
  const update = await open()
  await expect(update(wrong)).rejects.toThrow()
  expect(asked).toEqual([])
})
