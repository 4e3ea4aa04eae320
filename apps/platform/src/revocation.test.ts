import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { stageHeader } from '@grove/contract/stage.rules'
import type { Database } from './core/database/database.ts'
import { openPostgresPool } from './core/database/pools.ts'
import { migrationsOf } from './core/service.ts'
import { startPlatform, type PlatformProcess } from './core/testing/platform-process.ts'
import { testDatabase } from './core/testing/test-database.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

/** How long after its answer a revocation may take to be known to every process. */
const boundMs = 2000
const password = 'xQ7$mvPz9wRt'
const provider = 'grove'

interface Member {
  id: string
  email: string
  authorization: string
  refreshToken: string
}

interface Keys {
  providerId: string
  productId: string
  api: { id: string; authorization: string }
  publish: { id: string; authorization: string }
}

// The embedded database has one process.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('two processes', () => {
  let database: Database
  let one: PlatformProcess
  let other: PlatformProcess
  let third: PlatformProcess
  let admin: Member
  const ends: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = await testDatabase(migrationsOf([auth, cedar, maple]))
    ends.push(database.close)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      database.db,
    )
    const env = {
      DATABASE_URL: Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name }).href,
      GROVE_SERVICES: 'auth,cedar,maple',
      GROVE_SAMPLE: 'off',
      GROVE_PREVIEW_PORT: '0',
      GROVE_SECRET: randomBytes(32).toString('hex'),
      GROVE_VAULT_KEY: `1:${randomBytes(32).toString('hex')}`,
      GROVE_LOG: 'silent',
    }
    const start = async () => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-revocation-'))
      ends.push(() => rm(folder, { recursive: true, force: true }))
      const started = await startPlatform({ ...env, GROVE_DATA: folder })
      ends.push(started.stop)
      return started
    }
    ;[one, other, third] = await Promise.all([start(), start(), start()])
    admin = await member('ADMIN')
  }, 300_000)
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  }, 60_000)

  async function call(
    at: PlatformProcess,
    method: string,
    path: string,
    authorization: string | undefined,
    body?: object,
    headers: object = {},
  ) {
    const answer = await fetch(at.url + path, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  async function made(path: string, authorization: string | undefined, body: object) {
    const answer = await call(one, 'POST', path, authorization, body)
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** Somebody who signed in at the first process. */
  async function member(role = 'DEVELOPER'): Promise<Member> {
    const email = `${randomUUID()}@grove.test`
    await made('/api/signup', undefined, { email, password, provider, role: 'DEVELOPER' })
    await sql`update auth.account set roles = ${[role]} where email = ${email}`.execute(database.db)
    const { token } = await made('/api/token/password', undefined, { email, password, provider })
    const authorization = `Bearer ${token.accessToken}`
    const { user_id: id } = (await call(one, 'GET', '/api/user/info', authorization)).body
    return { id, email, authorization, refreshToken: token.refreshToken }
  }

  const changeUser = (who: Member, providerId: string, action: 'link' | 'unlink') =>
    made('/api/cedar/user', admin.authorization, { provider: providerId, user: who.id, action })

  /** A member of an organisation, with keys of their own for it. */
  async function withKeys(who: Member): Promise<Keys> {
    const { id: providerId } = await made('/api/cedar/provider', admin.authorization, {
      name: 'Tides',
    })
    await changeUser(who, providerId, 'link')
    const scopes = ['device.read']
    const api = await made(`/api/provider/${providerId}/key`, who.authorization, {
      name: 'Fleet',
      scopes,
    })
    const publish = await made('/api/developer/publishKey', who.authorization, {
      providerId,
      name: 'Build',
    })
    const { productId } = await made('/api/developer/product', who.authorization, {
      providerId,
      translations: [{ localeCode: 'en-US', title: 'Clock' }],
    })
    return {
      providerId,
      productId,
      api: { id: api.id, authorization: `Bearer ${api.key}` },
      publish: { id: publish.id, authorization: `Bearer ${publish.key}` },
    }
  }

  /** What the second process answers, which remembers who asks. */
  const asks = {
    catalogue: (who: { authorization: string }) =>
      call(other, 'GET', '/api/developer/product', who.authorization),
    devices: (who: { authorization: string }) =>
      call(other, 'GET', '/api/maple/device', who.authorization),
    product: ({ publish, productId }: Keys) =>
      call(other, 'GET', `/api/developer/product/${productId}`, publish.authorization),
    stage: (who: { authorization: string }, { providerId }: Keys) =>
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

  test('a session that ended, by its owner or by another session, opens nothing any more', async () => {
    const who = await member()
    await expectRefused([() => asks.catalogue(who)], () => logOut(who))
    const again = await member('ADMIN')
    await expectRefused([() => asks.catalogue(again), () => asks.devices(again)], async () => {
      const { email } = again
      const { token } = await made('/api/token/password', undefined, { email, password, provider })
      return call(one, 'DELETE', '/api/user/session', `Bearer ${token.accessToken}`)
    })
  }, 60_000)

  test('a disabled account ends its tokens and its keys, which do not come back with it', async () => {
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

  test('a member who is unlinked loses the provider and its keys, also when linked again', async () => {
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

  test('a key that is revoked is refused, and so is a provider that is disabled', async () => {
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

  test('a role that is taken, of the account or of the Maple account, is gone from tokens', async () => {
    const who = await member('ADMIN')
    await expectRefused([() => asks.devices(who)], () =>
      sql`update auth.account set roles = '{DEVELOPER}' where id = ${who.id}`.execute(database.db),
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

  test('with the listener’s connection cut, the next look finds what the notice did not bring', async () => {
    const who = await member()
    const keys = await withKeys(who)
    const took = await expectRefused(
      [() => asks.catalogue(who), () => asks.devices(keys.api)],
      async () => {
        // It is made again after a second, and hears nothing of what was before.
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'grove notices' and datname = current_database()`.execute(
          database.db,
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

  test('a process that is killed while it revokes has revoked everything or nothing', async () => {
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
    const kill = async ({ child }: PlatformProcess) => {
      child.kill('SIGKILL')
      if (child.signalCode === null) await once(child, 'exit')
    }
    // Held where the account is disabled and its keys are gone, and its sessions are not yet.
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      database.db,
    )
    const url = Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name }).href
    const pool = openPostgresPool(url)
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
                where wait_event_type = 'Lock' and datname = current_database()`.execute(
                database.db,
              )
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
    // Killed as soon as it is done, before it told anybody.
    const isDisabled = async () => {
      const { rows: found } = await sql<{ is: boolean }>`
        select disabled_at is not null as is from auth.account where id = ${who.id}`.execute(
        database.db,
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
