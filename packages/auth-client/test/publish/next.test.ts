import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createReferenceServer } from '../../reference-server.mjs'
import { createAuthClient } from '../../src/index.ts'
import { describeInBrowser, shows } from '../browser-fixtures.ts'
import { cleanEnvironment, freshProject, pack, run, temporaryFolder } from './fresh-project.ts'

// The tarball in a Next.js application (App Router) that is built, served, and opened next to the
// reference server. Next.js weighs 300 MB, so the repository does not install it: the template has
// its own lock file, and only `npm run test:all` runs this file.

const LIMIT = 240_000

describe('in a fresh Next.js project', { timeout: LIMIT }, () => {
  const ends: (() => unknown)[] = []
  let url = ''
  let build: (changes?: (app: string) => Promise<unknown>) => ReturnType<typeof run>

  beforeAll(async () => {
    const service = createReferenceServer()
    ends.push(
      () => service.closeAllConnections(),
      () => service.close(),
    )
    await once(service.listen(0, '127.0.0.1'), 'listening')
    const authUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const client = createAuthClient({ authUrl, realm: 'grove' })
    await client.signUp({ email: 'ann@grove.test', password: 'Grove2026!' })
    client.close()

    const { path, remove } = await temporaryFolder()
    ends.push(remove)
    const packed = await temporaryFolder()
    ends.push(packed.remove)
    await freshProject(path, { template: 'next', tarball: await pack(packed.path) })
    const next = join(path, 'node_modules/next/dist/bin/next')
    const environment = { NEXT_TELEMETRY_DISABLED: '1', NEXT_PUBLIC_AUTH_URL: authUrl }
    build = async (changes) => {
      await changes?.(path)
      return run(path, process.execPath, [next, 'build'], environment)
    }
    const built = await build()
    if (built.code !== 0) throw new Error(built.output)

    const port = String(await freePort())
    const child = spawn(process.execPath, [next, 'start', '--hostname', '127.0.0.1', '-p', port], {
      cwd: path,
      env: cleanEnvironment(environment),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // Before the folder is removed.
    ends.push(async () => {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    })
    for await (const chunk of child.stdout) if (String(chunk).includes('Ready')) break
    url = `http://127.0.0.1:${port}`
  }, LIMIT)
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  }, LIMIT)

  const clientCount = async () => Number(await (await fetch(`${url}/clients`)).text())

  test('the server renders a page that reveals no session', async () => {
    const html = await (await fetch(url)).text()
    expect(html).toContain('<p id="status">signedOut</p>')
    expect(html).toContain('<p id="access">pending</p>')
  })

  test('the server creates one client per request', async () => {
    const before = await clientCount()
    const pages = await Promise.all([1, 2, 3].map(() => fetch(url)))
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await clientCount()).toBe(before + 3)
  })

  describeInBrowser('the page', (_, chrome) => {
    test('signs in, verifies, and takes over the server’s page of a signed-in visitor', async () => {
      const context = await chrome().newContext()
      const page = await context.newPage()
      const problems: string[] = []
      page.on('pageerror', ({ message }) => problems.push(message))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text())
      })
      await page.goto(url)
      await shows(page, 'status', 'signedOut')
      await shows(page, 'access', 'signed out')
      await page.click('text=Sign in')
      await shows(page, 'access', 'private')

      await page.reload()
      await shows(page, 'access', 'private')
      await shows(page, 'valid', 'true')
      await page.click('text=Sign out')
      await shows(page, 'access', 'signed out')
      expect(problems).toEqual([])
      await context.close()
    })
  })

  test('a page is prerendered, as create-next-app sets it up', async () => {
    const { code, output } = await build(async (path) => {
      await writeFile(join(path, 'next.config.mjs'), 'export default { cacheComponents: true }')
      await rm(join(path, 'app/clients'), { recursive: true })
      const page = join(path, 'app/page.tsx')
      const text = await readFile(page, 'utf8')
      await writeFile(page, text.replace("export const dynamic = 'force-dynamic'", ''))
    })
    expect(code, output).toBe(0)
    expect(output).toContain('○ /')
  })
})

/** Next.js does not print the port that it chose for 0. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
