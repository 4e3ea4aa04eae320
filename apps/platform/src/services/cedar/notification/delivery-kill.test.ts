import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { runScript } from '../../../core/testing/run-script.ts'
import { testDatabase } from '../../../core/testing/test-database.ts'
import { migrationsOf } from '../../../core/service.ts'
import { cedar } from '../index.ts'

const script = new URL('./testing/send-notifications.ts', import.meta.url)
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const patience = { timeout: 30_000, interval: 20 }
/** Three batches. */
const devices = 1203

interface Hook {
  url: string
  /** The tokens of each accepted batch, by the batch's key. */
  taken: Map<string, string[]>
  /** Keys in the order in which their requests arrived. */
  asked: string[]
  /** Called when a request is accepted, before the response. */
  onTaken: (count: number, answer: () => void) => void
  stop: () => Promise<void>
}

/** A receiver with idempotency: it recognises a batch by its key. */
async function startHook(): Promise<Hook> {
  const server = createServer((request, response) => void receive(request, response))
  async function receive(request: IncomingMessage, response: ServerResponse) {
    let body = ''
    for await (const part of request) body += String(part)
    const key = String(request.headers['idempotency-key'])
    const { messages } = JSON.parse(body) as { messages: { token: string }[] }
    const tokens = messages.map(({ token }) => token)
    hook.asked.push(key)
    const before = hook.taken.get(key)
    // A repetition must be identical.
    if (before) expect(tokens).toEqual(before)
    hook.taken.set(key, tokens)
    hook.onTaken(hook.asked.length, () => response.writeHead(204).end())
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hook: Hook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken: new Map(),
    asked: [],
    onTaken: (_count, answer) => answer(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return hook
}

async function place(): Promise<{ url: string; folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-send-'))
  if (!isPostgres) return { url: '', folder, remove: () => rm(folder, { recursive: true }) }
  const database = await testDatabase(migrationsOf([cedar]))
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
    database.db,
  )
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${rows[0]?.name}` }).href
  const remove = async () => {
    await database.close()
    await rm(folder, { recursive: true })
  }
  return { url, folder, remove }
}

test.each([
  // The response is lost with the process: it does not know that the batch arrived.
  ['before a batch is answered', false],
  // Between two batches, or while the first is counted: the counter decides which.
  ['once a batch is answered', true],
])(
  'a process that is killed %s leaves no device without its message, and none with two',
  async (_when, isAnswered) => {
    const hook = await startHook()
    const { url, folder, remove } = await place()
    const killed = new Promise<void>((resolve) => {
      hook.onTaken = (count, answer) => {
        if (count < 2) return answer()
        if (isAnswered) answer()
        resolve()
      }
    })
    const first = runScript(script, url, folder, hook.url, String(devices))
    await first.firstLine
    await killed
    first.child.kill('SIGKILL')
    await first.exited
    expect(hook.taken.size).toBeLessThan(3)
    hook.onTaken = (_count, answer) => answer()

    const second = runScript(script, url, folder, hook.url)
    await second.firstLine
    const done = JSON.stringify({ state: 'sent', sent: devices, failed: 0 })
    await vi.waitFor(() => expect(second.lines.at(-1)).toBe(done), patience)
    second.child.kill('SIGKILL')
    await second.exited
    const tokens = [...hook.taken.values()].flat()
    expect(tokens).toHaveLength(devices)
    expect(new Set(tokens).size).toBe(devices)
    // At most one batch is repeated.
    expect(hook.asked.length - hook.taken.size).toBeLessThanOrEqual(1)
    if (!isAnswered) expect(hook.asked.length - hook.taken.size).toBe(1)
    await hook.stop()
    await remove()
  },
  90_000,
)
