import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ElementSession, Exchange, RanCommand } from '@grove/contract/maple/card/session'
import { readHex } from '@grove/secure-element/bytes'
import { newCard, type NewCard } from '@grove/secure-element/card/card-state'
import type { Faults } from '@grove/secure-element/card/software-card'
import type { Platform } from '../../../../../core/platform.ts'
import { startTestServer } from '../../../../../core/testing/test-platform.ts'
import { streamSession } from '../exchange-stream.ts'
import { maple } from '../../../index.ts'
import { addKeySet } from '../../key/key-source.ts'

export interface Answer<Body> {
  status: number
  body: Body & { code: string; detail: string; errors?: { path: string; params?: object }[] }
}

/** A server with software cards, and a person's calls on sessions. */
export async function startSessionServer(overrides: Partial<Platform> = {}) {
  const server = await startTestServer([maple], overrides)
  const { db } = server.platform
  const adminId = randomUUID()
  const admin = await server.bearer(['ADMIN'], adminId)
  const context = await maple.open(server.platform)
  let made = 0

  const ask = async <Body>(
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
    headers: { authorization: string } = admin,
  ): Promise<Answer<Body>> => {
    const response = await server.app.inject({
      method,
      url: `/api/maple/sessions/se${url}`,
      headers,
      ...(payload && { payload }),
    })
    return { status: response.statusCode, body: response.json() }
  }

  return {
    ...server,
    db,
    admin,
    adminId,
    context,
    ask,
    /** A new card, in a device of the service provider if one is named. */
    async card(options: NewCard = {}, service: string | null = null): Promise<string> {
      made++
      const state = newCard({ seed: `card ${made}`, ...options })
      const { cplc } = state
      const device = `DEV-${randomUUID()}`
      if (service !== null)
        await sql`insert into maple.service (id, name, name_key) values (${service}, ${service}, ${service})
          on conflict do nothing`.execute(db)
      await sql`insert into maple.device (id, name, name_key, type, state, service_id)
        values (${device}, ${device}, ${device}, 'virtual', 'accepted', ${service})`.execute(db)
      await sql`insert into maple.element (cplc, device_id, attached_at) values (${cplc}, ${device}, now())`.execute(
        db,
      )
      await sql`insert into maple.software_card (cplc, service_id, state)
        values (${cplc}, ${service}, ${JSON.stringify(state)}::jsonb)`.execute(db)
      const [set] = state.keySets
      const keyOf = (id: number) => readHex(set?.keys.find((key) => key.id === id)?.value ?? '')
      await addKeySet(context, context.db, {
        cplc,
        version: set?.version ?? 0,
        protocol: state.protocol,
        keys: { enc: keyOf(1), mac: keyOf(2), dek: keyOf(3) },
        origin: 'delivered',
      })
      return cplc
    },
    /** A person with a role in a service provider. */
    async member(service: string, roles = ['security_officer']) {
      const id = randomUUID()
      await sql`insert into maple.service (id, name, name_key) values (${service}, ${service}, ${service})
        on conflict do nothing`.execute(db)
      await sql`insert into maple.account (id, roles, service_id) values (${id}, ${roles}, ${service})`.execute(
        db,
      )
      return server.bearer(['DEVELOPER'], id)
    },
    breakCard: (cplc: string, faults: Faults) =>
      sql`update maple.software_card set faults = ${JSON.stringify(faults)}::jsonb, version = version + 1
        where cplc = ${cplc}`.execute(db),
    async open(cplc: string, headers = admin): Promise<ElementSession> {
      const { status, body } = await ask<ElementSession>('POST', '', { cplc }, headers)
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body
    },
    channel: (id: string, level = '33', more: object = {}) =>
      ask<RanCommand>('POST', `/${id}/channel`, { level, ...more }),
    command: (id: string, kind: string, values: object = {}, more: object = {}) =>
      ask<RanCommand>('POST', `/${id}/command`, { kind, values, ...more }),
    raw: (id: string, command: string, more: object = {}) =>
      ask<RanCommand>('POST', `/${id}/raw`, { command, ...more }),
    exchanges: async (id: string, query = '?limit=200') =>
      (
        await ask<{ items: Exchange[]; next: string | null; previous: string | null }>(
          'GET',
          `/${id}/exchange${query}`,
        )
      ).body,
    /** The stream of a session up to its end; while it is open, up to what is stored. */
    async streamed(id: string): Promise<string> {
      const origin = { requestId: '', ip: '', userAgent: '' }
      const gone = new AbortController()
      const stream = await streamSession(
        context,
        { id: adminId, roles: ['ADMIN'], sessionId: undefined, origin },
        { id, after: 0, until: Infinity, signal: gone.signal },
      )
      let text = ''
      for await (const chunk of stream) {
        text += String(chunk)
        if (text.includes('event: session')) break
      }
      gone.abort()
      return text
    },
    read: async (id: string) => (await ask<ElementSession>('GET', `/${id}`)).body,
  }
}

export type SessionServer = Awaited<ReturnType<typeof startSessionServer>>
