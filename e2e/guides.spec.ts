import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { NewApiKey } from '@grove/contract/cedar/api-key'
import { newDeveloper, signedIn, type Account } from './support/account.ts'
import { createApp } from './support/catalogue.ts'
import { expect, password, sample, test as base } from './support/test.ts'

// Runs the commands of the guides unchanged, against a running platform.

const repository = fileURLToPath(new URL('..', import.meta.url))

/** The commands of a guide, block by block. */
async function commandsOf(guide: string): Promise<string[]> {
  const text = await readFile(join(repository, 'docs', guide), 'utf8')
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
}

interface Shell {
  /** Runs a script and returns its output. @throws Error with its output if it fails. */
  run: (script: string, env?: Record<string, string>) => Promise<string>
  /** Runs a script until the test ends. */
  start: (script: string) => void
  folder: string
}

/** A machine that reaches only the platform: no registry, nothing in npm's cache. */
const test = base.extend<{ shell: Shell }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  shell: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'grove-guides-'))
    const own = Object.entries(process.env).filter(([name]) => !/^(npm_|grove|node_)/i.test(name))
    const ends: (() => Promise<unknown>)[] = []
    const open = (script: string, cwd: string, more: Record<string, string> = {}) =>
      spawn('bash', ['-euo', 'pipefail', '-c', script], {
        cwd,
        // A process group of its own, so that everything it started ends with it.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...Object.fromEntries(own),
          HOME: folder,
          npm_config_cache: join(folder, 'npm-cache'),
          npm_config_registry: 'http://127.0.0.1:9',
          npm_config_fetch_retries: '0',
          npm_config_update_notifier: 'false',
          ...more,
        },
      })
    await use({
      folder,
      async run(script, more) {
        const child = open(script, folder, more)
        let [output, all] = ['', '']
        child.stdout.on('data', (data) => ([output, all] = [output + data, all + data]))
        child.stderr.on('data', (data) => (all += data))
        const [code] = (await once(child, 'close')) as [number]
        if (code !== 0) throw new Error(`${script} ended with ${code}:\n${all}`)
        return output
      },
      start(script) {
        const child = open(script, repository)
        const ended = once(child, 'close')
        child.stdout.resume()
        child.stderr.resume()
        ends.push(async () => {
          if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM')
          await ended
        })
      },
    })
    for (const end of ends) await end()
    await rm(folder, { recursive: true, force: true })
  },
})

/** The test provides the values that the reader would fill in. */
const withoutExports = (block: string) => block.replaceAll(/^export GROVE_\w+=.*\n/gm, '')

test('the guide “Publish a mini-app” publishes one with the tool served by the platform @long', async ({
  baseURL,
  shell,
}) => {
  test.setTimeout(120_000)
  const url = baseURL ?? ''
  const developer = await newDeveloper(url)
  const { productId } = await createApp(developer, { 'en-US': 'Tide Clock' })
  const env = { GROVE_URL: url, GROVE_KEY: await publishKey(developer), GROVE_APP: productId }
  const blocks = await commandsOf('publish.md')
  expect(blocks).toHaveLength(3)
  expect(await commandsOf('ru/publish.md')).toEqual(blocks)
  for (const block of blocks) await shell.run(withoutExports(block), env)
  const versions = async () => {
    const { items } = await developer.call<{ items: { version: string; state: string }[] }>(
      `/api/developer/productVersion?productId=${productId}`,
    )
    return items.map(({ version, state }) => `${version} ${state}`)
  }
  expect(await versions()).toEqual(['1.0.0 live'])
  // Again, from npm's cache.
  await shell.run(withoutExports(blocks[2] ?? ''), env)
  expect(await versions()).toEqual(['1.0.0 live'])
})

test('the command on an app’s page works as shown @long', async ({ page, baseURL, shell }) => {
  test.setTimeout(120_000)
  const url = baseURL ?? ''
  const developer = await newDeveloper(url)
  const { productId } = await createApp(developer, { 'en-US': 'Tide Clock' })
  await page.addInitScript(
    (items) => items.forEach(({ name, value }) => localStorage.setItem(name, value)),
    developer.storage,
  )
  await page.goto(`/dashboard/cedar/mobile/${productId}`)
  const command = await page.getByText(/^npx .* publish /).textContent()
  await shell.run('mkdir dist && echo "<!doctype html><title>Tide</title>" > dist/index.html')
  const printed = await shell.run(`${command} --json`, { GROVE_KEY: await publishKey(developer) })
  expect(JSON.parse(printed)).toMatchObject({ version: '1.0.0', state: 'ready' })
})

async function publishKey(developer: Account): Promise<string> {
  const [provider] = await developer.call<{ id: string }[]>('/api/provider')
  const body = { providerId: provider?.id, name: 'Build server' }
  const { key } = await developer.call<{ key: string }>('/api/developer/publishKey', {
    method: 'POST',
    body,
  })
  return key
}

test('the guide “First device” connects a device, and a fleet @long', async ({
  baseURL,
  shell,
}) => {
  test.setTimeout(120_000)
  const url = baseURL ?? ''
  const admin = await signedIn(url, sample.admin)
  const { id: productId } = await admin.call<MapleProduct>('/api/maple/products', {
    method: 'POST',
    body: { name: `Pump ${randomUUID().slice(0, 8)}` },
  })
  const { code } = await admin.call<ClaimCode & { code: string }>('/api/maple/device/claim_code', {
    method: 'POST',
    body: { name: 'Guide', type: 'iot', productId, mostUses: 101, hours: 1, state: 'accepted' },
  })
  const blocks = await commandsOf('first-device.md')
  expect(blocks).toHaveLength(2)
  expect(await commandsOf('ru/first-device.md')).toEqual(blocks)
  for (const [at, block] of blocks.entries())
    shell.start(
      block
        .trim()
        .replaceAll('http://127.0.0.1:3000', url)
        .replace('7K2Q-F9M4-XT0B', code)
        // No other test uses these device names.
        .replace('pump-7', `pump-${productId}`)
        .concat(` --state ${shell.folder}/${at}.json ${at === 1 ? `--prefix ${productId}` : ''}`),
    )
  const online = async () => {
    const query = new URLSearchParams({ productId, state: 'online', limit: '200' })
    const { items } = await admin.call<{ items: Device[] }>(`/api/maple/device?${query}`)
    return items.length
  }
  await expect.poll(online, { timeout: 90_000 }).toBe(101)
})

test('the card reader served by the console starts without a registry @long', async ({
  baseURL,
  shell,
}) => {
  const help = await shell.run(`npx --yes ${baseURL}/downloads/grove-reader.tgz --help`)
  expect(help).toContain('grove-reader --platform URL')
})

test('the integration guide signs in, calls, renews and ends', async ({ baseURL, shell }) => {
  const url = baseURL ?? ''
  const [admin, developer] = [await signedIn(url, sample.admin), await newDeveloper(url)]
  const { user_id: ownerId } = await developer.call<{ user_id: string }>('/api/user/info')
  const { email } = await developer.call<{ email: string }>('/api/user/profile')
  const { id } = await admin.call<AdminProvider>('/api/cedar/provider', {
    method: 'POST',
    body: { name: `Works ${randomUUID().slice(0, 8)}`, ownerId },
  })
  const { key } = await developer.call<NewApiKey>(`/api/provider/${id}/key`, {
    method: 'POST',
    body: { name: 'Server', scopes: ['device.read'], expiresInDays: 1 },
  })
  const env = { GROVE_URL: url, GROVE_EMAIL: email, GROVE_PASSWORD: password, GROVE_API_KEY: key }
  const [settings = '', ...blocks] = await commandsOf('integrator.md')
  expect(withoutExports(settings)).toBe('')
  const printed: string[] = []
  for (const block of blocks) printed.push(await shell.run(block, env))
  const [, apps = '', , , devices = '', refused] = printed
  expect(JSON.parse(apps)).toMatchObject({ items: [] })
  expect(JSON.parse(devices)).toMatchObject({ items: [], next: null })
  expect(refused).toBe('unauthorized\n')
})
