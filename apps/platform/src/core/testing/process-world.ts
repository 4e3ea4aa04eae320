import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { startPlatform, type PlatformProcess } from './platform-process.ts'

const password = 'xQ7$mvPz9wRt'
const provider = 'grove'

export interface Member {
  id: string
  email: string
  authorization: string
  refreshToken: string
}

export interface ProviderKeys {
  providerId: string
  productId: string
  api: { id: string; authorization: string }
  publish: { id: string; authorization: string }
}

/** Several processes of the platform on one PostgreSQL database, and their users. */
export function openWorld(
  { db, url: databaseUrl }: { db: Db; url: string },
  closeDatabase: () => Promise<unknown>,
) {
  const ends: (() => Promise<unknown>)[] = [closeDatabase]
  const env = {
    DATABASE_URL: databaseUrl,
    GROVE_SAMPLE: 'off',
    GROVE_PREVIEW_PORT: '0',
    GROVE_SECRET: randomBytes(32).toString('hex'),
    GROVE_VAULT_KEY: `1:${randomBytes(32).toString('hex')}`,
    GROVE_LOG: 'silent',
  }

  async function start(
    more: Record<string, string>,
    args?: readonly string[],
  ): Promise<PlatformProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'grove-process-'))
    ends.push(() => rm(folder, { recursive: true, force: true }))
    const started = await startPlatform({ ...env, GROVE_DATA: folder, ...more }, args)
    ends.push(started.stop)
    return started
  }

  async function call(
    at: Pick<PlatformProcess, 'url'>,
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

  async function made(
    at: Pick<PlatformProcess, 'url'>,
    path: string,
    authorization: string | undefined,
    body: object,
  ) {
    const answer = await call(at, 'POST', path, authorization, body)
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const signIn = async (at: Pick<PlatformProcess, 'url'>, email: string) =>
    (await made(at, '/api/token/password', undefined, { email, password, provider })).token

  let first: string | undefined
  /** Someone who signed in at a process. */
  async function member(at: Pick<PlatformProcess, 'url'>, role = 'DEVELOPER'): Promise<Member> {
    const email = `${randomUUID()}@grove.test`
    // One network may sign up too few of them: the others reuse the first one's password.
    if (first === undefined)
      await made(at, '/api/signup', undefined, { email, password, provider, role: 'DEVELOPER' })
    else
      await sql`
        insert into auth.account (id, email, password_hash, roles, locale, created_at)
        select gen_random_uuid(), ${email}, password_hash, roles, locale, now()
        from auth.account where email = ${first}`.execute(db)
    first ??= email
    await sql`update auth.account set roles = ${[role]} where email = ${email}`.execute(db)
    const { accessToken, refreshToken } = await signIn(at, email)
    const authorization = `Bearer ${accessToken}`
    const { user_id: id } = (await call(at, 'GET', '/api/user/info', authorization)).body
    return { id, email, authorization, refreshToken }
  }

  /** A member of their own organisation, with their own API keys for it. */
  async function withKeys(
    at: Pick<PlatformProcess, 'url'>,
    admin: Member,
    who: Member,
  ): Promise<ProviderKeys> {
    const { id: providerId } = await made(at, '/api/cedar/provider', admin.authorization, {
      name: 'Tides',
    })
    const link = { provider: providerId, user: who.id, action: 'link' }
    await made(at, '/api/cedar/user', admin.authorization, link)
    const api = await made(at, `/api/provider/${providerId}/key`, who.authorization, {
      name: 'Fleet',
      scopes: ['device.read'],
    })
    const publish = await made(at, '/api/developer/publishKey', who.authorization, {
      providerId,
      name: 'Build',
    })
    const { productId } = await made(at, '/api/developer/product', who.authorization, {
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

  return {
    db,
    databaseUrl,
    env,
    start,
    call,
    made,
    signIn,
    member,
    withKeys,
    async close() {
      for (const end of ends.toReversed()) await end()
    },
  }
}

export type Processes = ReturnType<typeof openWorld>

export async function kill({ child }: PlatformProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
