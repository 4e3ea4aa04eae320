import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import type { StoredCardReading } from '@grove/contract/maple/card/element-card'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const domain = 'A0000001515350FF01'

const ask = async <Body>(method: 'GET' | 'POST', path: string, payload?: object): Promise<Body> =>
  (
    await server.app.inject({
      method,
      url: `/api/maple/se/${path}`,
      headers: server.admin,
      ...(payload && { payload }),
    })
  ).json()

const isUncertain = async (cplc: string) =>
  (await ask<{ reading: StoredCardReading }>('GET', `card/reading?cplc=${cplc}`)).reading.sinceThen
    .isUncertain

const stateOfDomain = async (cplc: string) => {
  const { items } = await ask<{ items: SecurityDomain[] }>('GET', `domains?cplc=${cplc}`)
  return items.find(({ aid }) => aid === domain)?.state
}

async function opened(cplc: string): Promise<string> {
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  return id
}

/** A card with a domain, as Grove has read it. */
async function readCard(): Promise<string> {
  const cplc = await server.card({ lifeCycle: 0x0f })
  const id = await opened(cplc)
  await server.command(id, 'MplInstall', {
    purpose: 'install',
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    instanceAid: domain,
    privileges: ['securityDomain'],
  })
  await server.ask('POST', `/${id}/end`)
  await ask('POST', 'card/read', { cplc })
  return cplc
}

/** The card executed the command, but the response was lost. */
const lockUnheard = (cplc: string) =>
  sql`
    update maple.software_card set faults = '{}', version = version + 1, state =
      jsonb_set(state, '{applications,0,lifeCycle}', '135')
    where cplc = ${cplc}`.execute(server.db)

const lock = { target: 'lock', aid: domain }

test('after a command without an answer Grove says so, and the next session reads the card @long', async () => {
  const cplc = await readCard()
  expect(await isUncertain(cplc)).toBe(false)
  const id = await opened(cplc)
  await server.breakCard(cplc, { powerCutBeforeWrite: 1 })
  expect((await server.command(id, 'MplSetStatus', lock)).body.state).toBe('unknown')
  await lockUnheard(cplc)
  expect([await isUncertain(cplc), await stateOfDomain(cplc)]).toEqual([true, 'selectable'])
  const { id: next } = await server.open(cplc)
  await server.command(next, 'MplSelect')
  // Nothing can be read without a channel.
  expect(await isUncertain(cplc)).toBe(true)
  await server.channel(next, '03')
  expect([await isUncertain(cplc), await stateOfDomain(cplc)]).toEqual([false, 'locked'])
})

test('an error after which something may have changed counts as no answer', async () => {
  const cplc = await readCard()
  const lockAnd = async (statusWord: number) => {
    const id = await opened(cplc)
    await server.breakCard(cplc, { wrongStatusWord: { ins: 0xf0, statusWord } })
    const { body } = await server.command(id, 'MplSetStatus', lock)
    expect(body.items[0]?.statusWord).toBe(statusWord.toString(16).toUpperCase())
    await server.ask('POST', `/${id}/end`)
    return isUncertain(cplc)
  }
  expect(await lockAnd(0x6985)).toBe(false)
  expect(await lockAnd(0x6581)).toBe(true)
})

test('a read-only command leaves nothing uncertain', async () => {
  const cplc = await readCard()
  const id = await opened(cplc)
  await server.breakCard(cplc, { wrongStatusWord: { ins: 0xf2, statusWord: 0x6581 } })
  await server.command(id, 'MplGetStatus')
  await server.ask('POST', `/${id}/end`)
  expect(await isUncertain(cplc)).toBe(false)
})
