import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type * as Ws from 'ws'
import type { Driven, DrivenBrowser } from './driven.ts'

const path = '/usr/bin/firefox-esr'
// Node 20 has no WebSocket: use the platform's.
const platform = createRequire(new URL('../../apps/platform/package.json', import.meta.url))
const { WebSocket } = platform('ws') as typeof Ws

/** Debian's Firefox, through WebDriver BiDi, which it speaks without a driver. */
export const firefox: DrivenBrowser = {
  name: 'Firefox',
  needs: 'firefox-esr',
  isHere: existsSync(path),
  start: startFirefox,
}

type Reply = { id?: number; type: string; result?: unknown; message?: string }

/** The address that Firefox prints at start. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr)
    for await (const line of createInterface(stderr)) {
      const [, address] = /WebDriver BiDi listening on (\S+)/.exec(line) ?? []
      if (address !== undefined) return address
    }
  throw new Error(`${path} ended before it listened`)
}

async function startFirefox(): Promise<Driven> {
  const profile = await mkdtemp(join(tmpdir(), 'grove-firefox-'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0']
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const socket = new WebSocket(`${await addressOf(child)}/session`)
    // Its later output must not fill the pipe.
    child.stderr.resume()
    await once(socket, 'open')
    const call = callerOf(socket)
    await call('session.new', { capabilities: {} })
    const { contexts } = (await call('browsingContext.getTree', {})) as {
      contexts: { context: string }[]
    }
    const context = contexts[0]?.context
    return {
      open: async (url) =>
        void (await call('browsingContext.navigate', { context, url, wait: 'complete' })),
      reload: async () =>
        void (await call('browsingContext.reload', { context, wait: 'complete' })),
      run: async <Answer>(work: unknown, ...given: readonly unknown[]) => {
        const { result } = (await call('script.evaluate', {
          // As text, since BiDi has its own encoding for each kind of value.
          expression: `JSON.stringify((${String(work)})(...${JSON.stringify(given)})) ?? 'null'`,
          target: { context },
          awaitPromise: false,
        })) as { result?: { value: string } }
        if (!result) throw new Error(`The page has thrown: ${String(work)}`)
        return JSON.parse(result.value) as Answer
      },
      act: async (actions) => void (await call('input.performActions', { context, actions })),
      close: async () => {
        socket.terminate()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Sends commands; each settles with its own reply. */
function callerOf(socket: Ws.WebSocket) {
  const waiting = new Map<number, (reply: Reply) => void>()
  let last = 0
  socket.on('message', (data) => {
    const reply = JSON.parse((data as Buffer).toString()) as Reply
    waiting.get(reply.id ?? 0)?.(reply)
    waiting.delete(reply.id ?? 0)
  })
  socket.on('close', () => {
    for (const settle of waiting.values()) settle({ type: 'error', message: 'Firefox is gone' })
  })
  return (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, ({ type, result, message }) =>
        type === 'success' ? resolve(result) : reject(new Error(`${method}: ${message}`)),
      )
      socket.send(JSON.stringify({ id: last, method, params }))
    })
}
