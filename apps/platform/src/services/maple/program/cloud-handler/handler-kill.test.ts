import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { runScript } from '../../../../core/testing/run-script.ts'
import { startTestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'
import { insertRun } from './handler-run.queries.ts'

const script = new URL('./testing/run-handlers.ts', import.meta.url)
const patience = { timeout: 60_000, interval: 20 }
const deliveries = 30

// The embedded database belongs to one process.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'kill -9 loses no delivery, and repeated ones have the same id',
  async () => {
    const server = await startTestServer([maple])
    const db: MapleDb = server.platform.db
    const arrived: string[] = []
    const receiver = createServer((request, response) => {
      arrived.push(String(request.headers['idempotency-key']))
      setTimeout(() => response.end(), 50)
    })
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo

    const code = `fetch('http://127.0.0.1:${port}/', { headers: { 'idempotency-key': event.id } })`
    const limits = { milliseconds: 10_000, calls: 1, kilobytes: 10, attempts: 8 }
    const trigger = { type: 'webhook', proof: 'token' } as const
    const headers = await server.bearer(['ADMIN'])
    const handlers = '/api/maple/cloud_handlers'
    const made = await server.app.inject({
      method: 'POST',
      url: handlers,
      headers,
      payload: { name: 'Relay', trigger, code, hosts: ['127.0.0.1'], limits },
    })
    const { id } = made.json<{ id: string }>()
    await server.app.inject({
      method: 'POST',
      url: `${handlers}/${id}/deploy`,
      headers,
      payload: {},
    })
    // This process no longer polls; the killed ones run them.
    await server.app.close()
    const ids: string[] = []
    for (let count = 0; count < deliveries; count++)
      ids.push(
        await insertRun(db, {
          handlerId: id,
          source: 'webhook',
          type: 'webhook',
          key: randomUUID(),
          event: {},
          mostAttempts: 8,
        }),
      )
    const unfinished = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from maple.cloud_handler_run
        where state <> 'succeeded'`.execute(db)
      return rows[0]?.count
    }

    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const url = Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${rows[0]?.name}`,
    }).href
    vi.stubEnv('GROVE_EGRESS_ALLOW', `127.0.0.1:${port}`)
    const { dataFolder } = server.platform.config
    for (const enough of [5, 12]) {
      const killed = runScript(script, url, dataFolder)
      await killed.firstLine
      await vi.waitFor(() => expect(arrived.length).toBeGreaterThanOrEqual(enough), patience)
      killed.child.kill('SIGKILL')
      await killed.exited
      expect(await unfinished()).toBeGreaterThan(0)
    }
    const last = runScript(script, url, dataFolder)
    await last.firstLine
    await vi.waitFor(async () => expect(await unfinished()).toBe(0), patience)
    last.child.kill('SIGKILL')
    await last.exited
    vi.unstubAllEnvs()
    expect(new Set(arrived)).toEqual(new Set(ids))
    // Per killed process, as many as it was running.
    expect(arrived.length - ids.length).toBeLessThanOrEqual(2 * 4)
    receiver.closeAllConnections()
    await new Promise((resolve) => void receiver.close(resolve))
    await server.close()
  },
  180_000,
)
