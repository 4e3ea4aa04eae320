import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startAuthServer } from '../auth-server.ts'
import { describeInBrowser, shows } from '../browser-fixtures.ts'
import { credentials } from '../fixtures.ts'
import { freshProject, pack, run, temporaryFolder } from './fresh-project.ts'

// What users get: the tarball, installed by npm in projects that know nothing of this repository.

const LIMIT = 180_000

describe('the published package', { timeout: LIMIT }, () => {
  const folders: (() => Promise<void>)[] = []
  const folder = async () => {
    const { path, remove } = await temporaryFolder()
    folders.push(remove)
    return path
  }
  let tarball = ''

  beforeAll(async () => {
    tarball = await pack(await folder())
  }, LIMIT)
  afterAll(async () => {
    for (const remove of folders) await remove()
  }, LIMIT)

  /** A project with the package and its other dependencies installed. */
  const install = async (template: string, packages: string[]) => {
    const path = await folder()
    await freshProject(path, { template, packages, tarball })
    const tool = (name: string, ...args: string[]) =>
      run(path, process.execPath, [join(path, 'node_modules', name), ...args])
    return { path, tool }
  }

  describe('in a fresh Node project', () => {
    let project: Awaited<ReturnType<typeof install>>
    beforeAll(async () => {
      project = await install('node', ['typescript', '@types/node'])
    }, LIMIT)

    test('its exports, documents and licence exist, and no tests', async () => {
      const installed = join(project.path, 'node_modules/@grove/auth-client')
      const entries = await readdir(installed, { recursive: true, withFileTypes: true })
      const files = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1))
      const folders = files.map((path) => path.replace(/[\\/].*/, ''))
      expect([...new Set(folders)].toSorted()).toEqual([
        'API.md',
        'LICENSE',
        'PROTOCOL.md',
        'README.md',
        'SECURITY.md',
        'SPEC.md',
        'coming-from.md',
        'dist',
        'guides.md',
        'package.json',
        'reference-server.mjs',
      ])
      expect(files.filter((path) => path.includes('.test.'))).toEqual([])
      const { exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
        exports: Record<string, Record<string, string>>
      }
      // A project may use a condition of that name itself, and there is no source to point to.
      expect(Object.values(exports).filter((conditions) => 'source' in conditions)).toEqual([])
      const named = Object.values(exports).flatMap((conditions) => Object.values(conditions))
      expect(named).toHaveLength(18)
      expect(files).toEqual(expect.arrayContaining(named.map((path) => join(path))))
    })

    test.each(['nodenext', 'node16'])('its types check with strict and %s', async (module) => {
      const options = ['--noEmit', '--module', module, '--moduleResolution', module]
      expect(await project.tool('typescript/bin/tsc', ...options)).toEqual({ code: 0, output: '' })
    })

    test('its command checks a service', async () => {
      const server = await startAuthServer()
      onTestFinished(() => server.close())
      const bin = join(project.path, 'node_modules/@grove/auth-client/dist/cli/auth-client.js')
      const { code, output } = await run(project.path, process.execPath, [bin, 'check', server.url])
      expect([code, output]).toEqual([0, expect.stringContaining(`${server.url} fits`)])
      expect((await run(project.path, process.execPath, [bin])).output).toContain('Usage: npx')
    })

    describeInBrowser('a service worker', (setUp) => {
      test('signs in and verifies without loading anything later', async () => {
        const { server, context } = await setUp()
        const installed = join(project.path, 'node_modules/@grove/auth-client/dist/worker.js')
        server.files.set('/client.js', ['text/javascript', await readFile(installed, 'utf8')])
        const worker = `
          import { createAuthClient } from './client.js'
          const auth = createAuthClient({
            authUrl: location.origin,
            realm: 'grove',
            verification: { jwksUrl: '/.well-known/jwks.json' },
          })
          addEventListener('message', async ({ data, source }) => {
            const isIn = await auth.signIn(data).catch(String)
            source.postMessage([isIn, (await auth.tokenDetails()).is_valid])
          })`
        server.files.set('/worker.js', ['text/javascript', worker])
        server.files.set('/empty', ['text/html', '<!doctype html>'])
        const page = await context.newPage()
        await page.goto(`${server.url}/empty`)
        const said = await page.evaluate(async (person) => {
          await navigator.serviceWorker.register('/worker.js', { type: 'module' })
          const { active } = await navigator.serviceWorker.ready
          return new Promise((resolve) => {
            navigator.serviceWorker.addEventListener('message', ({ data }) => resolve(data))
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no target
            active?.postMessage(person)
          })
        }, credentials)
        expect(said).toEqual([true, true])
      })
    })

    test('signs in people and the server itself at a service @long', async () => {
      const server = await startAuthServer()
      onTestFinished(() => server.close())
      expect(await project.tool('typescript/bin/tsc')).toEqual({ code: 0, output: '' })
      const main = join(project.path, 'dist/main.js')
      const { output } = await run(project.path, process.execPath, [main], {
        GROVE_AUTH_URL: server.url,
        GROVE_ADMIN_EMAIL: 'admin@grove.test',
        GROVE_ADMIN_PASSWORD: 'Grove2026!',
        GROVE_AUTH_PROVIDER: 'grove',
      })
      const person = ['signedOut', true, true, 'signedIn', true, 'user-a@grove.test', true]
      const rest = ['state_unknown', 'signedOut', 200, true]
      expect(output).toBe(`${JSON.stringify([...person, ...rest])}\n`)
      const [call] = server.callsTo('/api/admin/provider')
      expect(call?.headers['api-version']).toBe('1.7')
    })
  })

  describe('in a fresh Vite project', () => {
    let project: Awaited<ReturnType<typeof install>>
    let built: Awaited<ReturnType<typeof run>>
    beforeAll(async () => {
      const react = ['react', 'react-dom', '@types/react', '@types/react-dom']
      project = await install('vite', ['vite', '@vitejs/plugin-react', 'typescript', ...react])
      built = await project.tool('vite/bin/vite.js', 'build', '--logLevel', 'warn')
    }, LIMIT)

    test('its types check with strict', async () => {
      const { code, output } = await project.tool('typescript/bin/tsc', '--noEmit')
      expect([code, output]).toEqual([0, ''])
    })

    test('Vite builds it without warnings, and keeps later parts separate', async () => {
      expect(built.code).toBe(0)
      // It prints for every Next.js package that it ignores "use client".
      const warnings = [...built.output.matchAll(/\[([A-Z_]{4,})\]/g)].map(([, code]) => code)
      expect(new Set(warnings)).toEqual(new Set(['MODULE_LEVEL_DIRECTIVE']))
      const files = await readdir(join(project.path, 'dist/assets'))
      const names = files.map((name) => name.replace(/-[\w-]{8}\.js$/, ''))
      expect(names).toEqual(expect.arrayContaining(['index', 'sign-in-calls', 'verify-once']))
    })

    // next.test.ts builds and runs an application; this checks what it needs of the package.
    test('server components can import it: its React modules say "use client"', async () => {
      const react = join(project.path, 'node_modules/@grove/auth-client/dist/react')
      const names = (await readdir(react)).filter((name) => name.endsWith('.js'))
      expect(names.length).toBeGreaterThan(4)
      for (const name of names)
        expect(await readFile(join(react, name), 'utf8')).toMatch(/^'use client'/)
      const entries = ['', '/rules', '/oidc', '/presets', '/server'].map(
        (name) => `@grove/auth-client${name}`,
      )
      const script = `for (const entry of ${JSON.stringify(entries)}) await import(entry)`
      const flags = ['--conditions=react-server', '--input-type=module', '--eval', script]
      expect(await run(project.path, process.execPath, flags)).toEqual({ code: 0, output: '' })
    })

    test('a server renders a page that reveals no session', async () => {
      const script = `
        import { createAuthClient } from '@grove/auth-client'
        import { AuthProvider, RequireDashboardAccess, useSession } from '@grove/auth-client/react'
        import { createElement } from 'react'
        import { renderToString } from 'react-dom/server'
        const client = createAuthClient({ authUrl: '', realm: 'grove' })
        const Page = () => useSession().status
        const page = createElement(RequireDashboardAccess, { pending: ' pending' }, 'private')
        console.log(renderToString(createElement(AuthProvider, { client }, createElement(Page), page)))
      `
      const flags = ['--input-type=module', '--eval', script]
      const { output } = await run(project.path, process.execPath, flags)
      expect(output.replaceAll('<!-- -->', '')).toBe('signedOut pending\n')
    })

    describeInBrowser('the built page', (setUp) => {
      test('shows a signed-out state, signs in, verifies and signs out @long', async () => {
        const { server, context } = await setUp()
        const dist = join(project.path, 'dist')
        const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }
        for (const name of await readdir(dist, { recursive: true })) {
          const type = types[extname(name)]
          if (type === undefined) continue
          const text = await readFile(join(dist, name), 'utf8')
          server.files.set(`/${name.replaceAll('\\', '/')}`, [type, text])
        }
        const page = await context.newPage()
        const errors: unknown[] = []
        page.on('pageerror', (error) => errors.push(error))
        await page.goto(`${server.url}/index.html`)
        await shows(page, 'status', 'signedOut')
        await shows(page, 'access', 'signed out')
        await page.click('text=External login')
        await page.waitForFunction(() => document.title.includes('redirect_uri='))
        await page.click('text=Sign in')
        await shows(page, 'status', 'signedIn')
        await shows(page, 'access', 'private')
        await page.click('text=Sign out')
        await shows(page, 'access', 'signed out')
        expect(errors).toEqual([])
      })
    })
  })
})
