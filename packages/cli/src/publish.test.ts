import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readArguments, type PublishOptions } from './arguments.ts'
import { asCodeQuality, asGitHub, asText } from './findings.ts'
import { pack } from './pack-folder.ts'
import { publish } from './publish.ts'
import { createService, type Report, type Version } from './service.ts'

const productId = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
const env = { GROVE_URL: 'https://grove.example/', GROVE_KEY: 'grove_publish_x' }
const read = (...args: string[]) => readArguments(args, env)

describe('the command line', () => {
  test('is parsed with its defaults, and the address loses its trailing slash', () => {
    expect(read('publish', 'dist', '--app', productId)).toMatchObject({
      source: 'dist',
      url: 'https://grove.example',
      key: 'grove_publish_x',
      enable: false,
      findings: 'text',
    })
    const notes = ['--notes', 'Fixes', '--notes', 'ru-RU=Исправления=2']
    expect(read('publish', 'dist', '--app', 'Ab3dEfg', ...notes).notes).toEqual({
      'en-US': 'Fixes',
      'ru-RU': 'Исправления=2',
    })
  })

  test.each([
    [[], 'There is no command'],
    [['publish'], 'Name the folder'],
    [['publish', 'a', 'b', '--app', productId], 'one folder at a time'],
    [['publish', 'a'], '--app is the id'],
    [['publish', 'a', '--app', 'nope'], '--app is the id'],
    [['publish', 'a', '--app', productId, '--version', '1.0'], '--version is three numbers'],
    [['publish', 'a', '--app', productId, '--url', 'ftp://x'], 'is not an address'],
    [['publish', 'a', '--app', productId, '--key', 'eyJ.a.b'], 'begins with grove_publish_'],
    [['publish', 'a', '--app', productId, '--force'], '--force'],
    [['publish', 'a', '--app', productId, '--notes', 'x'.repeat(501)], 'at most 500'],
  ])('%j is refused with a reason', (args, reason) => {
    expect(() => read(...args)).toThrow(reason)
  })
})

async function folder(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'grove-cli-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return path
}

describe('a folder', () => {
  const files = { 'index.html': '<!doctype html>', 'js/app.js': 'let x', 'é/ф.css': 'a{}' }

  test('gives the same bytes wherever and whenever it is packed', async () => {
    const one = await folder(files)
    const other = await folder(Object.fromEntries(Object.entries(files).toReversed()))
    await utimes(join(other, 'index.html'), 1, 1)
    const [a, b] = [await pack(one), await pack(other)]
    expect(a.sha256).toBe(b.sha256)
    expect(Object.keys(unzipSync(a.bytes)).toSorted()).toEqual(Object.keys(files).toSorted())
    expect(a.files).toBe(3)
  })

  test('leaves out files that are not part of the app', async () => {
    const path = await folder({
      ...files,
      '.DS_Store': 'x',
      '.git/HEAD': 'x',
      'node_modules/a/index.js': 'x',
      'my.github.js': 'x',
    })
    expect(Object.keys(unzipSync((await pack(path)).bytes))).toHaveLength(4)
  })

  test('that is empty or missing is refused before anything is sent', async () => {
    await expect(pack(await folder({}))).rejects.toThrow('There are no files')
    await expect(pack('/nowhere/at/all')).rejects.toThrow('There is nothing at')
  })
})

interface Seen {
  method: string
  path: string
  body: Buffer
}
type Answer = { status?: number; body?: unknown; headers?: Record<string, string>; cut?: boolean }

const version = (part: Partial<Version> = {}): Version => ({
  productVersionId: '1',
  version: '1.0.0',
  state: 'no_package',
  enabled: false,
  isFinal: false,
  revision: 1,
  translations: [
    { localeCode: 'en-US', title: 'Clock' },
    { localeCode: 'ru-RU', title: 'Часы' },
  ],
  package: null,
  lastRefused: null,
  ...part,
})
const filled = (sha256: string, part: Partial<Version> = {}) =>
  version({
    state: 'ready',
    package: { sha256: 'stored', bytes: 1, files: 1, report: { ok: true, sha256, findings: [] } },
    ...part,
  })

/** A service on its own port that answers each call from a script. */
async function service(answers: Record<string, Answer | Answer[]>) {
  const seen: Seen[] = []
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const path = `${request.method} ${request.url?.split('?')[0]}`
    seen.push({ method: request.method ?? '', path, body: await readAll(request) })
    const listed = answers[path] ?? { status: 404, body: { code: 'not_found', detail: path } }
    const answer = Array.isArray(listed)
      ? ((listed.length > 1 ? listed.shift() : listed[0]) ?? {})
      : listed
    if (answer.cut) return request.socket.destroy()
    response.writeHead(answer.status ?? 200, answer.headers)
    return response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  }
  const server = createServer((request, response) => void reply(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pauses: number[] = []
  const pause = async (ms: number) => void pauses.push(ms)
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const call = createService({ url, key: 'grove_publish_x', say, pause })
  const packed = await pack(await folder({ 'index.html': '<!doctype html>' }))
  const run = (options: Partial<PublishOptions> = {}) =>
    publish(call, { ...read('publish', 'dist', '--app', productId), ...options }, packed, {
      say,
      onProgress: () => {},
      pause,
    })
  return { run, seen, pauses, said, packed, paths: () => seen.map(({ path }) => path) }
}

async function readAll(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const product = { body: { productId, newestVersion: null } }
const productPath = `GET /api/developer/product/${productId}`
const list = 'GET /api/developer/productVersion'
const create = 'POST /api/developer/productVersion'
const send = 'POST /api/storage/productVersion/miniApp'
const change = 'PUT /api/developer/productVersion/1'
const page = (...items: Version[]) => ({ body: { items, next: null } })

describe('publishing', () => {
  test('creates the version, sends the package, sets the notes and enables', async () => {
    const { run, seen, packed, paths } = await service({
      [productPath]: product,
      [list]: page(),
      [create]: { status: 201, body: version() },
      [send]: { body: filled('x') },
      [change]: [
        { body: filled('x', { revision: 2 }) },
        { body: filled('x', { state: 'live', enabled: true }) },
      ],
    })
    const result = await run({ notes: { 'en-US': 'Fixes' }, enable: true })
    expect(result).toMatchObject({ version: '1.0.0', state: 'live', isNew: true })
    expect(paths()).toEqual([productPath, list, create, send, change, change])
    const [, , , sent, notes, enabled] = seen
    expect(sent?.body.includes(Buffer.from(packed.bytes))).toBe(true)
    expect(JSON.parse(String(notes?.body)).translations).toEqual([
      { localeCode: 'en-US', title: 'Clock', whatsNew: 'Fixes' },
      { localeCode: 'ru-RU', title: 'Часы' },
    ])
    expect(JSON.parse(String(enabled?.body))).toEqual({ enabled: true, reason: 'Fixes' })
  })

  test('of the same version with the same bytes again changes nothing', async () => {
    const answers: Record<string, Answer> = { [productPath]: product }
    const { run, packed, paths } = await service(answers)
    const live = filled(packed.sha256, { state: 'live', enabled: true, isFinal: true })
    answers[list] = page(live)
    for (const options of [{ version: '1.0.0' }, {}])
      expect(await run({ ...options, enable: true })).toMatchObject({
        version: '1.0.0',
        isNew: false,
        state: 'live',
      })
    expect(new Set(paths())).toEqual(new Set([productPath, list]))
  })

  test('without a version uses the one after the newest', async () => {
    const { run, seen } = await service({
      [productPath]: product,
      [list]: page(filled('other', { version: '1.4.9' }), filled('old', { version: '1.4.8' })),
      [create]: { status: 201, body: version({ version: '1.4.10' }) },
      [send]: { body: filled('x', { version: '1.4.10' }) },
    })
    expect((await run()).version).toBe('1.4.10')
    expect(JSON.parse(String(seen[2]?.body))).toEqual({ productId, version: '1.4.10' })
  })

  test('never replaces live bytes with others', async () => {
    const { run, paths } = await service({
      [productPath]: product,
      [list]: page(filled('other', { isFinal: true })),
    })
    await expect(run({ version: '1.0.0' })).rejects.toMatchObject({ exitCode: 5 })
    expect(paths()).not.toContain(send)
  })

  test('retries while the service fails, and waits as long as it says', async () => {
    const { run, pauses, said } = await service({
      [productPath]: [{ status: 503, body: '<html>' }, { cut: true }, product],
      [list]: page(version()),
      [send]: [
        { status: 429, headers: { 'retry-after': '7' }, body: { detail: 'Too many uploads.' } },
        { body: filled('x') },
      ],
    })
    expect(await run()).toMatchObject({ state: 'ready' })
    expect(pauses).toEqual([1000, 2000, 7000])
    expect(said.join('\n')).toContain('Too many uploads. Trying again in 7 s.')
  })

  test('gives up after five attempts, and says what failed', async () => {
    const { run, paths } = await service({ [productPath]: { status: 502, body: '<html>' } })
    await expect(run()).rejects.toMatchObject({ exitCode: 1, message: 'Grove answered 502.' })
    expect(paths()).toHaveLength(5)
  })

  test('finds the version that it created although the answer was lost', async () => {
    const { run, paths } = await service({
      [productPath]: product,
      [list]: [page(), page(version())],
      [create]: { cut: true },
      [send]: { body: filled('x') },
    })
    expect(await run()).toMatchObject({ version: '1.0.0', state: 'ready' })
    expect(paths().filter((path) => path === create)).toHaveLength(1)
  })

  test('waits for a long check, and reports a refused package', async () => {
    const report: Report = { ok: false, findings: [] }
    const { run, paths } = await service({
      [productPath]: product,
      [list]: page(version()),
      [send]: { body: version({ state: 'checking' }) },
      'GET /api/developer/productVersion/1': {
        body: version({ state: 'failed_checks', lastRefused: { report } }),
      },
    })
    expect(await run({ enable: true })).toMatchObject({ state: 'refused', report })
    expect(paths()).not.toContain(change)
  })

  test.each([
    [401, 4],
    [403, 4],
    [404, 4],
    [400, 1],
  ])('ends with its own code when the service answers %i', async (status, exitCode) => {
    const { run, paths } = await service({ [productPath]: { status, body: { detail: 'No.' } } })
    await expect(run()).rejects.toMatchObject({ exitCode })
    expect(paths()).toHaveLength(1)
  })

  test('sends its key to no other host', async () => {
    const other = await service({})
    const { run } = await service({
      [productPath]: { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    })
    await expect(run()).rejects.toMatchObject({ exitCode: 1 })
    expect(other.seen).toEqual([])
  })
})

describe('findings', () => {
  const report: Report = {
    ok: false,
    findings: [
      {
        rule: 'path-traversal',
        severity: 'error',
        count: 12,
        places: [{ path: 'a:b,c\n::set-output', message: '50 % bad\u001b[2J', fix: 'Fix\nit.' }],
      },
    ],
  }

  test('are annotations that no file name can break out of', () => {
    expect(asGitHub(report)).toEqual([
      '::error file=a%3Ab%2Cc%0A%3A%3Aset-output,title=path-traversal::50 %25 bad\u001b[2J Fix%0Ait.',
    ])
  })

  test('are lines of text without control characters', () => {
    const lines = asText(report)
    expect(lines[1]).toBe('error path-traversal: and 11 more')
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f]/)
  })

  test('are a code quality report with a stable fingerprint', () => {
    const [issue] = asCodeQuality(report)
    expect(issue).toMatchObject({
      check_name: 'path-traversal',
      severity: 'major',
      location: { lines: { begin: 1 } },
    })
    expect(asCodeQuality(report)).toEqual(asCodeQuality(structuredClone(report)))
  })
})
