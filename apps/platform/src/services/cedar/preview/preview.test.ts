import { randomBytes } from 'node:crypto'
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../../core/config.ts'
import { openPreviewListener, type PreviewListener } from '../../../core/http/preview-listener.ts'
import { deriveSecret, readSecret } from '../../../core/secret.ts'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import { cedar } from '../index.ts'
import type { ZipEntry } from '../package/testing/zip-builder.ts'
import { miniApp, packageParts, tenant, type Tenant } from '../testing/catalogue.ts'
import { previewPackages } from './preview-packages.ts'
import { openPreview as openPreviewOf } from './preview.service.ts'
import { previewTokens } from './preview-token.ts'

let server: TestServer
let listener: PreviewListener
let port: number
let clock = 0
beforeAll(async () => {
  const opened = await openPreviewListener(readConfig({ GROVE_PREVIEW_PORT: '0' }))
  if (!opened) throw new Error('Previews are on locally.')
  listener = opened
  port = Number(new URL(listener.pattern.replace('*', 'x')).port)
  server = await startTestServer([cedar], {
    preview: listener,
    now: () => Date.now() + clock,
  })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => server.close())

const upload = '/api/storage/productVersion/miniApp'
const versions = '/api/developer/productVersion'
const page = '<!doctype html><html lang="en"><title>Clock</title>'

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A request to the second listener, with its target unmodified. */
const ask = (
  target: string,
  host: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: target, method, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end()
  })

const openPreview = (anna: Tenant, versionId: string) =>
  anna.send('POST', `${versions}/${versionId}/preview`)

async function preview(anna: Tenant, entries: ZipEntry[] = []) {
  const { productId } = await anna.product()
  const { productVersionId } = await anna.version(productId)
  const { body } = await anna.upload(upload, packageParts(productVersionId, miniApp(entries)))
  expect(body.state).toBe('ready')
  const opened = await openPreview(anna, productVersionId)
  expect(opened.status).toBe(201)
  const address = new URL(opened.body.address)
  const read = (path: string, options?: Parameters<typeof ask>[2], scheme = 'auto') =>
    ask(`${address.pathname}${scheme}/${path}`, address.host, options)
  return { productId, productVersionId, ...opened.body, address, read }
}

/** Headers of every response, whatever was requested. */
function expectGuarded({ headers }: Answer) {
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src 'self'/)
  expect(policy).toContain(
    "; form-action 'none'; base-uri 'none'; frame-ancestors http://127.0.0.1:",
  )
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'connection-allowlist': '(response-origin)',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'referrer-policy': 'no-referrer',
    'permissions-policy': expect.stringContaining('camera=(), '),
  })
  expect(headers).not.toHaveProperty('set-cookie')
}

it('may connect only to the hosts that its provider’s rights name @long', async () => {
  const [anna, admin] = [await tenant(server), await tenant(server, ['ADMIN'])]
  const { read } = await preview(anna)
  const policyOf = async () => {
    const { status, headers } = await read('index.html')
    expect(status).toBe(200)
    return [headers['content-security-policy'], headers['connection-allowlist']].map(String)
  }
  const [closed] = await policyOf()
  expect(closed).toContain("; connect-src 'self'; object-src")
  expect(closed).not.toContain('img-src')

  const [own] = (await anna.send('GET', '/api/provider')).body
  const setNetwork = async (mode: string) => {
    const hosts = ['api.tides.example', '*.maps.example']
    const { status } = await admin.send('PUT', `/api/admin/provider/${own.id}`, {
      miniAppRights: [
        { permission: 'network', mode, hosts },
        { permission: 'camera', mode: 'granted', hosts: [] },
      ],
    })
    expect(status).toBe(200)
  }
  await setNetwork('optional')
  const patience = { timeout: 10_000, interval: 100 }
  await vi.waitFor(async () => {
    const [policy, connections] = await policyOf()
    expect(policy).toContain(
      "; connect-src 'self' https://api.tides.example https://*.maps.example wss://api.tides.example wss://*.maps.example; img-src 'self' data: blob: https://api.tides.example https://*.maps.example; media-src",
    )
    expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src 'self' 'unsafe-inline'/)
    expect(connections).toBe(
      '(response-origin "https://api.tides.example/*" "wss://api.tides.example/*" "https://*.maps.example/*" "wss://*.maps.example/*")',
    )
  }, patience)
  // A response without a file has no hosts either.
  const { headers } = await read('missing.html')
  expect(headers['content-security-policy']).toBe(closed)
  await setNetwork('none')
  await vi.waitFor(async () => expect((await policyOf())[0]).toBe(closed), patience)
})

describe('the address of a preview', () => {
  it('serves the package’s files with fixed types, only to the host of that version', async () => {
    const anna = await tenant(server)
    const code = 'console.log(1)\n'.repeat(100)
    const { read, address, startPage, isLoopback, expiresAt, productVersionId } = await preview(
      anna,
      [
        { name: 'js/app.js', data: code },
        { name: 'data.bin', data: 'plain', method: 0 },
        { name: 'evil.png', data: '<script>1</script>' },
        { name: 'имя файла.txt', data: 'text' },
      ],
    )
    expect(address.host).toBe(`v${productVersionId.replaceAll('-', '')}.localhost:${port}`)
    expect([startPage, isLoopback]).toEqual(['index.html', true])
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(9.9 * 60_000)

    const packed = await read('js/app.js', { headers: { 'accept-encoding': 'gzip, br' } })
    expect(packed.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
    })
    expect(gunzipSync(packed.body).toString()).toBe(code)
    expect((await read('js/app.js?v=1')).body.toString()).toBe(code)
    expect((await read('data.bin')).headers['content-type']).toBe('application/octet-stream')
    expect((await read('evil.png')).headers['content-type']).toBe('image/png')
    expect((await read(encodeURIComponent('имя файла.txt'))).body.toString()).toBe('text')
    const head = await read('js/app.js', { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(code.length),
      0,
    ])
    for (const path of ['', 'index.html', 'js/app.js', 'nothing']) expectGuarded(await read(path))
  })

  it('inserts its script before everything else in a page', async () => {
    const anna = await tenant(server)
    const pages = {
      'comment.html': `<!-- <!doctype html> --><!--> <!doctype HTML >${page}`,
      'quirks.html': '<body>old',
      'open.html': `<!-- ${'<!---->'.repeat(5000)} <!doctype`,
    }
    const { read } = await preview(
      anna,
      Object.entries(pages).map(([name, data]) => ({ name, data })),
    )
    const before = async (path: string) => (await read(path)).body.toString().split('<script>')[0]
    expect(await before('index.html')).toBe('<!doctype html>')
    expect(await before('comment.html')).toBe('<!-- <!doctype html> --><!--> <!doctype HTML >')
    expect(await before('quirks.html')).toBe('')
    const { body } = await read('index.html')
    expect(body.toString()).toMatch(/^<!doctype html><script>\{.*\}\s*<\/script><title>/s)
    expect((await read('open.html')).status).toBe(200)
  })

  it('serves style sheets in the requested colours, and scripts unchanged', async () => {
    const anna = await tenant(server)
    const css = ':root{color-scheme:light dark}@media (prefers-color-scheme: dark){a{color:red}}'
    const { read } = await preview(anna, [
      { name: 'a.css', data: css },
      { name: 'a.js', data: css },
    ])
    const text = async (path: string, scheme: string) =>
      (await read(path, {}, scheme)).body.toString()
    expect(await text('a.css', 'auto')).toBe(css)
    expect(await text('a.js', 'dark')).toBe(css)
    expect(await text('a.css', 'dark')).toBe(
      ':root{color-scheme:dark}@media (min-width:0px){a{color:red}}',
    )
    expect(await text('a.css', 'light')).toContain('@media (max-width:0px)')
    expect((await read('a.css', {}, 'pink')).status).toBe(404)
  })

  it('shows the requests of the manifest, and opens the first page of the W3C profile', async () => {
    const anna = await tenant(server)
    const manifest = {
      app_id: 'a',
      name: 'A',
      icons: [{ src: 'app.css' }],
      pages: ['pages/главная'],
      version: { code: 1, name: '1.0.0' },
      platform_version: { min_code: 1 },
      req_permissions: [{ name: 'camera', reason: 'To scan\u202e codes' }, { name: 'push' }, 7],
    }
    const { read, permissions, startPage } = await preview(anna, [
      {
        name: 'manifest.json',
        data: JSON.stringify({
          ...manifest,
          req_permissions: manifest.req_permissions.slice(0, 2),
        }),
      },
      { name: 'app.js', data: ';' },
      { name: 'app.css', data: '' },
      { name: 'pages/главная.html', data: page },
    ])
    expect(permissions).toEqual([
      { name: 'camera', reason: 'To scan\\u202e codes' },
      { name: 'push', reason: null },
    ])
    expect(startPage).toBe(`pages/${encodeURIComponent('главная.html')}`)
    expect((await read(startPage)).status).toBe(200)
  })
})

describe('a preview refuses', () => {
  it('tokens that are forged, of another version, or expired', async () => {
    const anna = await tenant(server)
    const mine = await preview(anna)
    const other = await preview(anna)
    const [, , token = ''] = mine.address.pathname.split('/')
    const at = (changed: string, host = mine.address.host) =>
      ask(`/p/${changed}/auto/index.html`, host)
    expect((await at(token)).status).toBe(200)
    const last = token.at(-1) === 'A' ? 'B' : 'A'
    for (const forged of [
      token.slice(0, -1) + last,
      (token.startsWith('A') ? 'B' : 'A') + token.slice(1),
      'A'.repeat(token.length),
      token.slice(0, -4),
      `${token}AAAA`,
      previewTokens(deriveSecret('guess'.repeat(8), 'preview')).sign({
        versionId: mine.productVersionId,
        sha256: 'ab'.repeat(32),
        expiresAt: Date.now() + 60_000,
      }),
    ]) {
      const answer = await at(forged)
      expect([forged, answer.status]).toEqual([forged, 404])
      expectGuarded(answer)
    }
    // A proxy in front may use the other of two Host headers.
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET /p/${token}/auto/ HTTP/1.1\r\nhost: ${mine.address.host}\r\nHost: ${other.address.host}\r\nconnection: close\r\n\r\n`,
    )
    expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 400 /)
    // Signed by the platform, but at the host of another version.
    expect((await at(token, other.address.host)).status).toBe(421)
    const tokens = previewTokens(deriveSecret(await readSecret(server.platform.config), 'preview'))
    const grant = { versionId: mine.productVersionId, expiresAt: Date.now() + 60_000 }
    // Signed for a package that this version does not have.
    const wrong = await at(tokens.sign({ ...grant, sha256: 'ab'.repeat(32) }))
    expect(wrong.status).toBe(410)
    clock = 10 * 60_000 + 1000
    const over = await at(token)
    clock = 0
    expect([over.status, over.body.toString()]).toEqual([
      410,
      'This preview has expired. Open a new one in Grove.',
    ])
    expectGuarded(over)
  })

  it('paths that do not name a file of the package', async () => {
    const { read, address } = await preview(await tenant(server))
    for (const path of [
      '../index.html',
      '%2e%2e/index.html',
      '..%2f..%2fsecret',
      '/index.html',
      './index.html',
      'index.html/',
      'index.html%00',
      'INDEX.HTML',
      '..\\index.html',
      '__proto__',
      'constructor',
      'manifest.json',
      'x'.repeat(5000),
    ]) {
      const answer = await read(path)
      expect([path, answer.status]).toEqual([path, 404])
      expectGuarded(answer)
    }
    expect((await read('%zz')).status).toBe(400)
    const { host, pathname } = address
    for (const target of [
      '/',
      '/p',
      pathname,
      `${pathname}auto`,
      `/${pathname}auto/index.html`,
      `${pathname}auto%2findex.html`,
      '/api/developer/product',
      '/api/openapi.json',
      '/healthz',
      '/metrics',
      '/dashboard',
      '/stage.json',
      `http://${host}${pathname}auto/index.html`,
    ]) {
      const answer = await ask(target, host)
      expect([target, answer.status]).toEqual([target, 404])
      expectGuarded(answer)
    }
  })

  it('every other host, however similar', async () => {
    const { address } = await preview(await tenant(server))
    const target = `${address.pathname}auto/index.html`
    for (const run of ['r1-', 'r999999-'])
      expect((await ask(target, run + address.host)).status).toBe(200)
    for (const host of [
      `r-${address.host}`,
      `r1234567-${address.host}`,
      `r1-r1-${address.host}`,
      `r1.${address.host}`,
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      address.hostname,
      address.host.toUpperCase(),
      `${address.host}.`,
      `x.${address.host}`,
      `${address.hostname}.:${port}`,
      `${address.hostname}:0${port}`,
      `${address.hostname}.evil.example:${port}`,
      `evil@${address.host}`,
      'evil.example',
    ]) {
      const answer = await ask(target, host)
      expect([host, answer.status]).toEqual([host, 421])
      expectGuarded(answer)
      expect((await ask('/', host)).status).not.toBe(200)
    }
  })

  it('every method except for reading, and invalid HTTP, with the same headers', async () => {
    const { read } = await preview(await tenant(server))
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const answer = await read('index.html', { method })
      expect([method, answer.status, answer.headers.allow]).toEqual([
        method,
        405,
        'GET, HEAD, OPTIONS',
      ])
      expectGuarded(answer)
    }
    const preflight = await read('index.html', { method: 'OPTIONS' })
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'GET, HEAD' },
    })
    expectGuarded(preflight)
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'))
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('close', () => resolve(text))
    })
    expect(raw).toMatch(/^HTTP\/1.1 400 /)
    expect(raw).toContain('content-security-policy: sandbox allow-scripts')
    expect(raw).toContain('connection-allowlist: (response-origin)')
  })

  it('a replaced package, and a deleted version @long', async () => {
    const anna = await tenant(server)
    const { productVersionId, read } = await preview(anna)
    const other = await preview(anna)
    expect((await read('index.html')).status).toBe(200)
    await anna.upload(
      upload,
      packageParts(productVersionId, miniApp([{ name: 'new.js', data: ';' }])),
    )
    await anna.send('DELETE', `${versions}/${other.productVersionId}`)
    await vi.waitFor(async () => {
      expect((await read('index.html')).status).toBe(410)
      expect((await other.read('index.html')).status).toBe(410)
    }, 4000)
  })
})

it('reads and sets no cookie, on whatever it answers', async () => {
  const { read } = await preview(await tenant(server))
  const plain = await read('index.html')
  const sent = await read('index.html', { headers: { cookie: 'a=b; session=1' } })
  expect(sent.body.equals(plain.body)).toBe(true)
  expect(sent.headers['set-cookie']).toBeUndefined()
})

it('the paths of previews do not exist on the platform’s own origin', async () => {
  const { address } = await preview(await tenant(server))
  const answer = await server.app.inject({
    url: `${address.pathname}auto/index.html`,
    headers: { host: '127.0.0.1:3000' },
  })
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
})

it('large files are served whole, compressed or not', async () => {
  const anna = await tenant(server)
  const data = Buffer.alloc(9_000_000)
  for (let at = 0; at < data.length; at += 1) data[at] = (at * 7919) >> 5
  const { read } = await preview(anna, [
    { name: 'large.json', data },
    { name: 'stored.bin', data: data.subarray(0, 2_000_000), method: 0 },
  ])
  const [plain, packed, stored] = await Promise.all([
    read('large.json'),
    read('large.json', { headers: { 'accept-encoding': 'gzip' } }),
    read('stored.bin'),
  ])
  expect(plain.body.equals(data)).toBe(true)
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.body).equals(data)).toBe(true)
  expect(stored.body.length).toBe(2_000_000)
})

const tokens = previewTokens('secret')
const packages = { open: async () => undefined, close: () => {} }

describe('opening a preview', () => {
  it('is for the people of the provider and for admins, and needs a package', async () => {
    const [anna, boris, admin] = [
      await tenant(server),
      await tenant(server),
      await tenant(server, ['ADMIN']),
    ]
    const { productId, productVersionId } = await preview(anna)
    expect((await openPreview(boris, productVersionId)).body.code).toBe('not_found')
    expect((await openPreview(admin, productVersionId)).status).toBe(201)
    const draft = await anna.version(productId, '2.0.0')
    expect((await openPreview(anna, draft.productVersionId)).body.code).toBe('package_missing')
    // Not a download: the package can still be replaced.
    const read = await anna.send('GET', `${versions}/${productVersionId}`)
    expect(read.body.isFinal).toBe(false)
  })

  it('is limited per provider and hour, and says who can raise the limit', async () => {
    const anna = await tenant(server)
    const { productVersionId } = await preview(anna)
    const admin = await tenant(server, ['ADMIN'])
    const { body: found } = await admin.send('GET', `/api/admin/provider?ownerId=${anna.userId}`)
    const limit = (previewTokensPerHour: number | null) =>
      admin.send('PUT', `/api/admin/provider/${found.items[0].id}`, {
        limits: { previewTokensPerHour },
      })
    await limit(3)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => openPreview(anna, productVersionId)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ code: 'limit_reached' })
    expect(refused?.body.detail).toContain('3 of 3 previews this hour')
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    await limit(0)
    expect((await openPreview(anna, productVersionId)).status).toBe(409)
    await limit(null)
    expect((await openPreview(anna, productVersionId)).status).toBe(201)
  })

  it('says that previews are off if they have no domain of their own', async () => {
    const anna = await tenant(server)
    const { productVersionId: id } = await preview(anna)
    const context = await cedar.open(server.platform)
    const off = { ...context, preview: undefined, packages, tokens }
    await expect(openPreviewOf(off, anna.actor, { id })).rejects.toMatchObject({
      code: 'preview_off',
      message: expect.stringContaining('GROVE_PREVIEW_URL'),
    })
  })
})

it('packages stay in memory up to a number of bytes, most recently used ones longest', async () => {
  const anna = await tenant(server)
  const [first, second] = [
    await preview(anna, [{ name: 'a.bin', data: randomBytes(3000), method: 0 }]),
    await preview(anna, [{ name: 'a.bin', data: randomBytes(3000), method: 0 }]),
  ]
  let reads = 0
  const { objects } = server.platform
  const counted = previewPackages(
    {
      ...objects,
      read: (sha256) => {
        reads += 1
        return objects.read(sha256)
      },
    },
    4000,
  )
  const hashOf = async ({ productVersionId }: typeof first): Promise<string> =>
    (await anna.send('GET', `${versions}/${productVersionId}`)).body.package.sha256
  const [one, two] = [await hashOf(first), await hashOf(second)]
  const both = await Promise.all([counted.open(one), counted.open(one)])
  expect([both[0]?.size, reads]).toEqual([2, 1])
  await counted.open(two)
  await counted.open(two)
  expect(reads).toBe(2)
  await counted.open(one)
  expect(reads).toBe(3)
  expect(await counted.open('ab'.repeat(32))).toBeUndefined()
  counted.close()
})

it('a file that many request and nobody reads is in memory once @long', async () => {
  const bytes = 8 * 1024 * 1024
  const readers = 40
  const anna = await tenant(server)
  const content = randomBytes((bytes / 4) * 3).toString('base64')
  const { address } = await preview(anna, [{ name: 'big.html', data: content }])
  const target = `${address.pathname}auto/big.html`
  const before = process.memoryUsage().arrayBuffers
  const sockets = await Promise.all(
    Array.from({ length: readers }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`)
      // The headers have arrived, and no more is read.
      await new Promise((resolve) => void socket.once('readable', () => resolve(socket)))
      return socket
    }),
  )
  // Its archive, the file, and memory to produce it.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * bytes)
  for (const socket of sockets) socket.destroy()
})

it('a connection that sends requests without reading is closed @long', async () => {
  const anna = await tenant(server)
  const { address } = await preview(anna, [
    { name: 'big.html', data: randomBytes(6_000_000).toString('base64') },
  ])
  const target = `${address.pathname}auto/big.html`
  const socket = connect(port, '127.0.0.1')
  const ended = new Promise((resolve) => void socket.once('close', resolve))
  socket.on('error', () => {})
  for (let n = 0; n < 40; n++)
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`)
  socket.resume()
  await ended
})
