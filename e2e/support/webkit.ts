import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import type { Driven, DrivenBrowser } from './driven.ts'

const miniBrowser = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'
const webKitDriver = '/usr/bin/WebKitWebDriver'
const screen = '/usr/bin/Xvfb'

/** Debian's WebKitGTK, which has Safari's engine, through W3C WebDriver. */
export const webKit: DrivenBrowser = {
  name: 'WebKit',
  needs: 'webkit2gtk-driver, xvfb',
  isHere: [miniBrowser, webKitDriver, screen].every((path) => existsSync(path)),
  start: startWebKit,
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A virtual display; it prints its number when it is ready. */
async function startDisplay(): Promise<{ display: string; child: ChildProcess }> {
  const args = ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp']
  const child = spawn(screen, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [, , , numbers] = child.stdio
  const [number] = (await once(numbers as Readable, 'data')) as [Buffer]
  return { display: `:${number.toString().trim()}`, child }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function startWebKit(): Promise<Driven> {
  const { display, child: server } = await startDisplay()
  const port = await freePort()
  const driver = spawn(webKitDriver, [`--port=${port}`], {
    env: {
      ...process.env,
      DISPLAY: display,
      // Without it a page has no language, which libraries refuse.
      LANG: 'en_US.UTF-8',
      LANGUAGE: 'en_US',
      // It needs no D-Bus, and would wait for one.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      // Containers do not allow its sandbox.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
    stdio: 'ignore',
  })
  const stop = async () => {
    await end(driver)
    await end(server)
  }
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { value: unknown }
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
  /** It accepts connections only a moment after it was started. */
  const whenListening = async () => {
    for (let tries = 200; tries > 0; tries--) {
      const isReady = await call('GET', '/status').then(
        () => true,
        () => false,
      )
      if (isReady) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${webKitDriver} does not answer`)
  }
  const begin = async () => {
    await whenListening()
    const options = { binary: miniBrowser, args: ['--automation'] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
    return (await call('POST', '/session', { capabilities })) as { sessionId: string }
  }
  const { sessionId } = await begin().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const session = `/session/${sessionId}`
  return {
    open: async (url) => void (await call('POST', `${session}/url`, { url })),
    reload: async () => void (await call('POST', `${session}/refresh`, {})),
    run: async <Answer>(work: unknown, ...given: readonly unknown[]) =>
      (await call('POST', `${session}/execute/sync`, {
        script: `return (${String(work)})(...arguments)`,
        args: given,
      })) as Answer,
    act: async (actions) => void (await call('POST', `${session}/actions`, { actions })),
    close: async () => {
      await call('DELETE', session).catch(() => {})
      await stop()
    },
  }
}
