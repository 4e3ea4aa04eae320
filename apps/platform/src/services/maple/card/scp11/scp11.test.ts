import { sql } from 'kysely'
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scp11Credential } from '@grove/contract/maple/card/scp11'
import type { Problem } from '@grove/contract/shapes'
import { readHex } from '@grove/secure-element/bytes'
import { cardProfiles } from '@grove/secure-element/card/card-profile'
import { scp11Example } from '@grove/secure-element/card/scp11-example'
import { privateKeyOf } from '@grove/secure-element/secure-channel/ec-key'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { pemOf, readHost } from './scp11-material.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const pemOfCertificate = (hex: string) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(hex, 'hex').toString('base64')}\n-----END CERTIFICATE-----`
const hostKey = pemOf(privateKeyOf(readHex(scp11Example.host)))
const host = {
  key: hostKey,
  certificates: pemOfCertificate(scp11Example.hostCertificate),
  authority: { keyVersion: 1, keyId: 0x10 },
}
const both = { variant: 'a', keyVersion: 1, authorities: scp11Example.authorityPoint, ...host }
const cardAlone = { variant: 'b', keyVersion: 1, authorities: scp11Example.authorityPoint }

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  headers = server.admin,
) {
  const response = await server.app.inject({
    method,
    url: `/api/maple/se/scp11${path}`,
    headers,
    ...(payload && { payload }),
  })
  const text = response.body
  return {
    status: response.statusCode,
    body: (text === '' ? null : JSON.parse(text)) as Scp11Credential &
      Problem & { items: Scp11Credential[] },
  }
}

let count = 0
async function add(cplc: string, given: object, headers = server.admin): Promise<Scp11Credential> {
  const name = `Credentials ${++count}`
  const { status, body } = await call('POST', '', { cplc, name, ...given }, headers)
  expect([status, body.detail]).toEqual([201, undefined])
  return body
}
const list = async (cplc: string, headers = server.admin) =>
  (await call('GET', `?cplc=${cplc}`, undefined, headers)).body.items
const card = (service: string | null = null) => server.card(cardProfiles.scp11, service)

/** A session with the issuer's domain selected. */
async function session(cplc: string) {
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  return id
}

describe('a session opens a channel', () => {
  test.each([
    ['a', both],
    ['b', cardAlone],
    ['c', { ...both, variant: 'c' }],
  ])('by SCP11%s, and sends through it', async (variant, given) => {
    const cplc = await card()
    const { id: credential } = await add(cplc, given)
    const id = await session(cplc)
    const opened = await server.channel(id, '03', { credential })
    expect(opened.body).toMatchObject({ state: 'done', problem: null })
    expect((await server.read(id)).channel).toMatchObject({
      protocol: `SCP11${variant}`,
      level: '33',
      keyVersion: 1,
    })
    const sent = await server.command(id, 'MplGetData', { tag: '0066' })
    expect(sent.body.items.at(-1)).toMatchObject({
      statusWord: '9000',
      wrapped: { command: expect.stringMatching(/^84CA/) },
    })
    await server.ask('POST', `/${id}/end`)
  })

  test('with session keys of 32 bytes, to a card in S16 mode', async () => {
    const cplc = await server.card({ ...cardProfiles.scp11, implementation: 0x71 })
    const { id: credential } = await add(cplc, {
      ...both,
      keyLength: 32,
      key: scp11Example.host,
      certificates: scp11Example.hostCertificate,
    })
    const id = await session(cplc)
    expect((await server.channel(id, '33', { credential })).body.problem).toBeNull()
    const sent = await server.command(id, 'MplGetData', { tag: '0066' })
    expect(sent.body.items.at(-1)?.statusWord).toBe('9000')
    await server.ask('POST', `/${id}/end`)
  })

  test('automatically to an element with chosen credentials, until they are deleted', async () => {
    const cplc = await card()
    const { id: credential } = await add(cplc, both)
    const chosen = await call('PUT', `/default?cplc=${cplc}`, {
      id: credential,
    })
    expect(chosen.body.items.filter(({ isDefault }) => isDefault).map(({ id }) => id)).toEqual([
      credential,
    ])
    const protocol = async (more: object = {}) => {
      const id = await session(cplc)
      const { body } = await server.channel(id, '03', more)
      expect(body.problem).toBeNull()
      const { channel } = await server.read(id)
      await server.ask('POST', `/${id}/end`)
      return channel?.protocol
    }
    expect(await protocol()).toBe('SCP11a')
    // The issuer's domain can be selected by name too.
    const named = (await server.open(cplc)).id
    await server.command(named, 'MplSelect', { aid: 'A000000151000000' })
    expect((await server.channel(named, '03')).body.problem).toBeNull()
    expect((await server.read(named)).channel?.protocol).toBe('SCP11a')
    await server.ask('POST', `/${named}/end`)
    // Naming a version of the card's keys uses those.
    expect(await protocol({ keyVersion: 0x30 })).toBe('SCP03')
    expect(await protocol({ credential: null })).toBe('SCP03')
    await call('PUT', `/default?cplc=${cplc}`, { id: null })
    expect(await protocol()).toBe('SCP03')
  })
})

test('a card without any key known to Grove is read', async () => {
  const cplc = await card()
  const { id } = await add(cplc, both)
  await sql`delete from maple.key_set where cplc = ${cplc}`.execute(server.db)
  const read = async () => {
    const { statusCode, body } = await server.app.inject({
      method: 'POST',
      url: '/api/maple/se/card/read',
      headers: server.admin,
      payload: { cplc },
    })
    return [statusCode, body] as const
  }
  expect((await read())[0]).not.toBe(200)
  await call('PUT', `/default?cplc=${cplc}`, { id })
  const [status, body] = await read()
  expect(status).toBe(200)
  expect(body).toContain('globalRegistry')
})

test.each([
  ['a', both],
  ['b', cardAlone],
])('a session opened by SCP11%s is replayed without a difference', async (_, given) => {
  const [cplc, same] = await Promise.all([card(), card()])
  const { id: credential } = await add(cplc, given)
  await call('PUT', `/default?cplc=${same}`, { id: credential })
  const id = await session(cplc)
  expect((await server.channel(id, '33', { credential })).body.problem).toBeNull()
  await server.command(id, 'MplGetStatus', { subset: 'issuer' })
  await server.ask('POST', `/${id}/end`)
  const { body } = await server.ask<{ difference: object | null; session: { id: string } }>(
    'POST',
    `/${id}/replay`,
    { cplc: same },
  )
  expect(body.difference).toBeNull()
  // The session of the replay is opened like the original.
  const { items } = await server.exchanges(body.session.id)
  const headers = items.map(({ command }) => command?.slice(0, 4))
  expect(headers).toContain(given === both ? '8082' : '8088')
  expect(headers).not.toContain('8050')
})

describe('a card is not trusted, and the element stays usable,', () => {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()

  test('if another authority issued its certificate', async () => {
    const cplc = await card()
    const { id: credential } = await add(cplc, { ...cardAlone, authorities: stranger })
    const id = await session(cplc)
    const { body } = await server.channel(id, '33', { credential })
    expect(body).toMatchObject({ state: 'refused', problem: { code: 'not_sent' } })
    expect(body.problem?.message).toContain('an authority that is not trusted')
    // Nothing was sent after its certificates.
    expect(body.items.map(({ command }) => command?.slice(0, 4))).toEqual(['80CA', '00C0'])
    expect((await server.channel(id, '33')).body.problem).toBeNull()
    await server.ask('POST', `/${id}/end`)
  })

  test('if its key differs from the one in its certificate', async () => {
    const cplc = await card()
    const { id: credential } = await add(cplc, both)
    const id = await session(cplc)
    await server.breakCard(cplc, { hasOtherKeys: true })
    const { body } = await server.channel(id, '33', { credential })
    expect(body.problem).toMatchObject({
      code: 'not_sent',
      message: 'The card does not have the key of its certificate.',
    })
    await server.breakCard(cplc, {})
    // The card has a channel now, which SELECT ends.
    await server.command(id, 'MplSelect')
    expect((await server.channel(id, '33', { credential })).body.problem).toBeNull()
    await server.ask('POST', `/${id}/end`)
  })

  test('and the card’s refusal of the host is reported with its status word', async () => {
    const cplc = await card()
    const { id: credential } = await add(cplc, {
      ...both,
      authority: { keyVersion: 5, keyId: 0x10 },
    })
    const id = await session(cplc)
    const { body } = await server.channel(id, '33', { credential })
    expect(body.problem?.message).toBe('The card refused the certificate of the host: 6A88')
    const element = await sql<{ state: string }>`
      select state from maple.element where cplc = ${cplc}`.execute(server.db)
    expect(element.rows[0]?.state).not.toBe('blocked')
    await server.ask('POST', `/${id}/end`)
  })
})

describe('credentials', () => {
  test('show what they are, and never the private key', async () => {
    const cplc = await card()
    const made = await add(cplc, { ...both, name: 'Line 1' })
    expect(made).toMatchObject({
      name: 'Line 1',
      variant: 'a',
      keyVersion: 1,
      keyLength: 16,
      authorities: ['9BD8BA9DCEEBC84C0C70722C7C550ADAC4E1A98C'],
      host: {
        subject: 'F57F0F47BFEEF4F784222FFDA7E9DD9E34C1457C',
        certificates: 1,
        validTo: '2125-12-31T23:59:59.000Z',
        authority: { keyVersion: 1, keyId: 16 },
      },
      isDefault: false,
    })
    const secret = hostKey.split('\n')[1] ?? expect.fail()
    expect(JSON.stringify(await list(cplc))).not.toContain(secret.slice(0, 20))
    const { rows } = await sql`select * from maple.scp11_credential`.execute(server.db)
    expect(JSON.stringify(rows)).not.toContain(scp11Example.host)
    const events = await sql`select * from maple.event where subject = ${cplc}`.execute(server.db)
    expect(JSON.stringify(events.rows)).toContain('Line 1')
    expect(JSON.stringify(events.rows)).not.toContain(secret.slice(0, 20))
  })

  test.each([
    ['authorities', { authorities: 'nonsense' }],
    ['authorities', { authorities: '04' + '11'.repeat(64) }],
    ['authorities', { authorities: '-----BEGIN CERTIFICATE-----\nMIIB' }],
    ['key', { key: undefined }],
    ['key', { key: 'no key' }],
    ['key', { key: rsaKey() }],
    ['certificates', { certificates: undefined }],
    ['certificates', { certificates: 'FF00' }],
    // The card's certificate is for another key.
    ['certificates', { certificates: pemOfCertificate(scp11Example.cardCertificate) }],
    // Neither signed the other.
    [
      'certificates',
      { certificates: `${scp11Example.cardCertificate}\n${scp11Example.hostCertificate}` },
    ],
    ['authority', { authority: undefined }],
  ])('with wrong %s are refused at that field', async (field, wrong) => {
    const cplc = await card()
    const before = await list(cplc)
    const { status, body } = await call('POST', '', { cplc, name: 'Wrong', ...both, ...wrong })
    expect([status, body.errors?.[0]?.path]).toEqual([400, field])
    expect(JSON.stringify(body)).not.toContain('PRIVATE')
    expect(await list(cplc)).toEqual(before)
  })

  test('with an expired certificate are refused', () => {
    const [from, to] = [Date.UTC(2125, 11, 31), Date.UTC(2126, 0, 2)]
    expect(() => readHost(hostKey, host.certificates, from)).not.toThrow()
    expect(() => readHost(hostKey, host.certificates, to)).toThrow('expired on 2125-12-31')
  })

  test('with the same name twice are refused', async () => {
    const cplc = await card()
    await add(cplc, { ...cardAlone, name: 'Twice' })
    const { status } = await call('POST', '', { cplc, ...cardAlone, name: 'twice' })
    expect(status).toBe(409)
  })

  test('belong to the element’s service provider, and to no other', async () => {
    const [own, other] = await Promise.all([card('scp11-own'), card('scp11-other')])
    const [mine, theirs] = await Promise.all([
      server.member('scp11-own'),
      server.member('scp11-other'),
    ])
    const { id } = await add(own, both, mine)
    expect((await list(own, mine)).map((each) => each.id)).toEqual([id])
    expect((await list(other, theirs)).map((each) => each.id)).not.toContain(id)
    expect((await call('GET', `?cplc=${own}`, undefined, theirs)).status).toBe(404)
    expect((await call('DELETE', `?cplc=${other}&id=${id}`, undefined, theirs)).status).toBe(404)
    expect((await call('PUT', `/default?cplc=${other}`, { id }, theirs)).status).toBe(404)
    const opened = await server.ask('POST', '', { cplc: other }, theirs)
    const session = (opened.body as unknown as { id: string }).id
    const used = await server.ask(
      'POST',
      `/${session}/channel`,
      { level: '33', credential: id },
      theirs,
    )
    expect(used.status).toBe(404)
    await server.ask('POST', `/${session}/end`, undefined, theirs)
  })

  test.each([
    ['another service provider had', 'scp11-before'],
    ['none had', null],
  ])('do not open an element that %s before', async (_, before) => {
    const cplc = await card(before)
    const { id } = await add(cplc, both)
    await call('PUT', `/default?cplc=${cplc}`, { id })
    await server.member('scp11-after')
    await sql`update maple.device set service_id = 'scp11-after'
      where id = (select device_id from maple.element where cplc = ${cplc})`.execute(server.db)
    const opened = await session(cplc)
    expect((await server.channel(opened, '33')).body.problem).toBeNull()
    expect((await server.read(opened)).channel?.protocol).toBe('SCP03')
    expect((await server.channel(opened, '33', { credential: id })).status).toBe(404)
    await server.ask('POST', `/${opened}/end`)
  })

  test('are deleted, and nothing opens with them', async () => {
    const cplc = await card()
    const { id } = await add(cplc, both)
    await call('PUT', `/default?cplc=${cplc}`, { id })
    expect((await call('DELETE', `?cplc=${cplc}&id=${id}`)).status).toBe(204)
    expect((await list(cplc)).some((each) => each.id === id)).toBe(false)
    const opened = await session(cplc)
    expect((await server.channel(opened, '33')).body.problem).toBeNull()
    expect((await server.read(opened)).channel?.protocol).toBe('SCP03')
    await server.ask('POST', `/${opened}/end`)
  })
})

function rsaKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
