import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stageHeader } from '@grove/contract/stage.rules'
import { openPostgresPool } from './core/database/pools.ts'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import {
  kill,
  openProcesses,
  type Member,
  type Processes,
  type ProviderKeys,
} from './core/testing/processes.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

/** How long after the response a revocation may take to reach every process. */
const boundMs = 2000
const provider = 'grove'

// The embedded database has only one process.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('two processes', () => {
  let world: Processes
  let one: PlatformProcess
  let other: PlatformProcess
  let third: PlatformProcess
  let admin: Member

  beforeAll(async () => {
    world = await openProcesses([auth, cedar, maple])
    const start = () => world.start({ GROVE_SERVICES: 'auth,cedar,maple' })
    ;[one, other, third] = await Promise.all([start(), start(), start()])
    admin = await member('ADMIN')
  }, 300_000)
  afterAll(() => world.close(), 60_000)

  const call: Processes['call'] = (...asked) => world.call(...asked)
  const made = (path: string, authorization: string | undefined, body: object) =>
    world.made(one, path, authorization, body)
  const member = (role?: string) => world.member(one, role)
  const withKeys = (who: Member) => world.withKeys(one, admin, who)

  const changeUser = (who: Member, providerId: string, action: 'link' | 'unlink') =>
    made('/api/cedar/user', admin.authorization, { provider: providerId, user: who.id, action })

  /** What the second process answers, which caches the caller. */
  const asks = {
    catalogue: (who: { authorization: string }) =>
      call(other, 'GET', '/api/developer/product', who.authorization),
    devices: (who: { authorization: string }) =>
      call(other, 'GET', '/api/maple/device', who.authorization),
    product: ({ publish, productId }: ProviderKeys) =>
      call(other, 'GET', `/api/developer/product/${productId}`, publish.authorization),
    stage: (who: { authorization: string }, { providerId }: ProviderKeys) =>
      call(other, 'GET', '/api/maple/device', who.authorization, undefined, {
        [stageHeader]: providerId,
      }),
  }
  type Ask = () => Promise<{ status: number }>

  /** Each is answered; then something is revoked at the first process, and each is refused in time. */
  async function expectRefused(reading: readonly Ask[], revoke: () => Promise<unknown>) {
    for (const ask of reading) expect((await ask()).status).toBe(200)
    for (const ask of reading) expect((await ask()).status).toBe(200)
    await revoke()
    const from = performance.now()
    const took = await Promise.all(
      reading.map(async (ask) => {
        while ((await ask()).status === 200) {
          if (performance.now() - from > 10 * boundMs) break
          await wait(10)
        }
        return performance.now() - from
      }),
    )
    for (const ask of reading) expect([401, 403, 404]).toContain((await ask()).status)
    expect(Math.max(...took)).toBeLessThan(boundMs)
    return Math.max(...took)
  }

  const disable = ({ id }: Member, isEnabled = false) =>
    call(one, 'PUT', `/api/admin/account/${id}`, admin.authorization, { enabled: isEnabled })
  const logOut = ({ authorization, refreshToken }: Member) =>
    call(one, 'POST', '/api/logout', authorization, { refreshToken, provider })

  test('an ended session, whoever ended it, no longer opens anything', async () => {
    const who = await member()
    await expectRefused([() => asks.catalogue(who)], () => logOut(who))
    const again = await member('ADMIN')
    await expectRefused([() => asks.catalogue(again), () => asks.devices(again)], async () => {
      const { email } = again
      const { accessToken } = await world.signIn(one, email)
      return call(one, 'DELETE', '/api/user/session', `Bearer ${accessToken}`)
    })
  }, 60_000)

  test('disabling an account ends its tokens and keys, and enabling it does not bring them back', async () => {
    const who = await member()
    const keys = await withKeys(who)
    const { api } = keys
    const reading = [
      () => asks.catalogue(who),
      () => asks.stage(who, keys),
      () => asks.devices(api),
      () => asks.product(keys),
    ]
    await expectRefused(reading, () => disable(who))
    expect((await disable(who, true)).status).toBe(200)
    for (const ask of reading) expect((await ask()).status).not.toBe(200)
    const trail = `/api/developer/activity?providerId=${keys.providerId}`
    const { items } = (await call(one, 'GET', trail, admin.authorization)).body
    expect(items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['apiKey.revoke', 'publishKey.revoke']),
    )
  }, 60_000)

  test('a member who is unlinked loses the provider and its keys, even if linked again', async () => {
    const who = await member()
    const keys = await withKeys(who)
    const { api, providerId } = keys
    // Another key of the provider, so that it stays a working stage.
    const mobyApiKey = randomBytes(32).toString('base64url')
    await call(one, 'PUT', `/api/admin/provider/${providerId}`, admin.authorization, { mobyApiKey })
    await expectRefused(
      [() => asks.stage(who, keys), () => asks.devices(api), () => asks.product(keys)],
      () => changeUser(who, providerId, 'unlink'),
    )
    await changeUser(who, providerId, 'link')
    expect((await asks.stage(who, keys)).status).toBe(200)
    expect((await asks.devices(api)).status).toBe(401)
    expect((await asks.product(keys)).status).toBe(401)
  }, 60_000)

  test('a revoked key is refused, and so is a disabled provider', async () => {
    const who = await member()
    const keys = await withKeys(who)
    const { api, publish, providerId } = keys
    await expectRefused([() => asks.devices(api)], () =>
      call(one, 'DELETE', `/api/provider/${providerId}/key/${api.id}`, who.authorization),
    )
    await expectRefused([() => asks.product(keys)], () =>
      call(one, 'DELETE', `/api/developer/publishKey?id=${publish.id}`, who.authorization),
    )
    const more = await withKeys(who)
    await expectRefused([() => asks.devices(more.api), () => asks.stage(who, more)], () =>
      call(one, 'PUT', `/api/admin/provider/${more.providerId}`, admin.authorization, {
        enabled: false,
      }),
    )
  }, 60_000)

  test('a revoked role, of the account or of the Maple account, disappears from tokens', async () => {
    const who = await member('ADMIN')
    await expectRefused([() => asks.devices(who)], () =>
      sql`update auth.account set roles = '{DEVELOPER}' where id = ${who.id}`.execute(world.db),
    )
    const operator = await member('CUSTOMER')
    const account = (method: string, query: string, body?: object) =>
      call(one, method, `/api/maple/account${query}`, admin.authorization, body)
    const body = { id: operator.id, roles: ['viewer'] }
    expect((await account('POST', '', body)).status).toBe(201)
    await expectRefused([() => asks.devices(operator)], () =>
      account('PUT', `?id=${operator.id}`, { expiresAt: '2020-01-01T00:00:00Z' }),
    )
  }, 60_000)

  test('with the listener’s connection cut, the next check finds what the notice would have announced @long', async () => {
    const who = await member()
    const keys = await withKeys(who)
    const took = await expectRefused(
      [() => asks.catalogue(who), () => asks.devices(keys.api)],
      async () => {
        // The connection is recreated after a second, and receives nothing sent before.
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'grove notices' and datname = current_database()`.execute(
          world.db,
        )
        return disable(who)
      },
    )
    expect(took).toBeGreaterThan(0)
  }, 60_000)

  test('a stream ends with the session that opened it', async () => {
    const who = await member('ADMIN')
    const handler = await made('/api/maple/cloud_handlers', who.authorization, {
      name: `Watched ${randomUUID()}`,
      trigger: { type: 'schedule', cron: '0 6 * * *', zone: 'Europe/Berlin' },
    })
    const answer = await fetch(`${other.url}/api/maple/cloud_handlers/${handler.id}/stream`, {
      headers: { authorization: who.authorization },
    })
    expect(answer.status).toBe(200)
    const ended = (async () => {
      for await (const _ of answer.body ?? []) continue
    })().then(
      () => performance.now(),
      () => performance.now(),
    )
    await logOut(who)
    const from = performance.now()
    expect((await ended) - from).toBeLessThan(boundMs)
  }, 60_000)

  test('a process that is killed while revoking has revoked everything or nothing', async () => {
    const who = await member()
    const keys = await withKeys(who)
    const reading = [
      () => asks.catalogue(who),
      () => asks.devices(keys.api),
      () => asks.product(keys),
    ]
    for (const ask of reading) expect((await ask()).status).toBe(200)
    const at = (process: PlatformProcess) =>
      call(process, 'PUT', `/api/admin/account/${who.id}`, admin.authorization, { enabled: false })
    // Held after the account is disabled and its keys are deleted, but before its sessions are.
    const pool = openPostgresPool(world.databaseUrl)
    const holder = await pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select from auth.session where account_id = $1 for update', [who.id])
      const begun = at(third).catch(() => undefined)
      await expect
        .poll(
          async () =>
            (
              await sql<{ waits: number }>`select count(*)::int as waits from pg_stat_activity
                where wait_event_type = 'Lock' and datname = current_database()`.execute(world.db)
            ).rows[0]?.waits,
          { timeout: 20_000 },
        )
        .toBeGreaterThan(0)
      await kill(third)
      await begun
    } finally {
      await holder.query('rollback')
      holder.release()
      await pool.end()
    }
    await wait(boundMs)
    for (const ask of reading) expect((await ask()).status).toBe(200)
    // Killed as soon as it is done, before it has told anyone.
    const isDisabled = async () => {
      const { rows: found } = await sql<{ is: boolean }>`
        select disabled_at is not null as is from auth.account where id = ${who.id}`.execute(
        world.db,
      )
      return found[0]?.is === true
    }
    await expectRefused(reading, async () => {
      const begun = at(one).catch(() => undefined)
      while (!(await isDisabled())) await wait(1)
      await kill(one)
      await begun
    })
  }, 120_000)
})
