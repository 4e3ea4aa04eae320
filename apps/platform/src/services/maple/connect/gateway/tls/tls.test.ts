import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectSecure, type TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import { connectAsync } from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { hasOpenssl, needs, openCertificates } from '../testing/openssl.ts'
import { runAgent } from '../testing/run-agent.ts'

const path = 'device/certificate_authority'
/** Also if it ends with a reset, which `once` would reject. */
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('close', () => resolve()))
const day = 24 * 60 * 60 * 1000
const waiting = { timeout: 60_000, interval: 100 }

describe.skipIf(!hasOpenssl)(`devices with certificates ${needs}`, () => {
  let world: GatewayWorld
  let made: ReturnType<typeof openCertificates>
  let server: { cert: string; key: string }
  let count = 0
  const sockets: { destroy: () => void }[] = []

  beforeAll(async () => {
    made = openCertificates()
    const shown = made.makeRoot('localhost', { extensions: ['subjectAltName=DNS:localhost'] })
    server = { cert: join(made.folder, 'server.crt'), key: join(made.folder, 'server.key') }
    copyFileSync(shown.cert, server.cert)
    copyFileSync(shown.key, server.key)
    world = await gatewayWorld({ tls: { certificate: server.cert, key: server.key } })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    world.disconnectAll()
    await sql`delete from maple.certificate_authority`.execute(world.db)
  })
  afterAll(async () => {
    await world.close()
    made.close()
  })

  /** An authority that was proved, unless it should not be. */
  async function authority({
    serviceId = null as string | null,
    productId = undefined as string | undefined,
    isProved = true,
    root = made.makeRoot(`Factory ${++count}`),
    more = {},
  } = {}) {
    const added = await world.ask('POST', path, {
      name: 'Factory',
      certificate: readFileSync(root.cert, 'utf8'),
      type: 'iot',
      ...(productId !== undefined && { productId }),
      ...more,
    })
    if (added.status !== 201) throw new Error(JSON.stringify(added.body))
    const { id, challenge } = added.body
    if (serviceId !== null)
      await sql`update maple.certificate_authority set service_id = ${serviceId} where id = ${id}`.execute(
        world.db,
      )
    if (isProved) {
      const signature = made.sign(challenge, root.key)
      const proved = await world.ask('POST', `${path}/${id}/proof`, { signature })
      expect(proved).toMatchObject({ status: 200, body: { challenge: null } })
    }
    return { id: id as string, ...root }
  }

  const newId = () => `pump-${++count}`
  const state = async (id: string) =>
    (await world.ask('GET', path)).body.items.find((each: { id: string }) => each.id === id)
  const deviceOf = async (id: string) =>
    (await world.ask('GET', `device?id=${id}`)).body.items[0] as
      | { state: string; serviceId: string | null; productId: string | null }
      | undefined

  /** A WebSocket over TLS: its messages, or the status of its refusal. */
  async function socketOf(
    shown: { cert: string; key: string } | undefined,
    headers: Record<string, string> = {},
  ) {
    const socket = new WebSocket(`wss://localhost:${world.tlsPort}${deviceSocketPath}`, {
      ca: readFileSync(server.cert),
      headers,
      ...(shown && { cert: readFileSync(shown.cert), key: readFileSync(shown.key) }),
    })
    sockets.push({ destroy: () => socket.terminate() })
    socket.on('error', () => {})
    const heard: { t: string; code?: string; held?: boolean; seq?: number }[] = []
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
    const status = await new Promise<number>((resolve) => {
      socket.once('open', () => resolve(101))
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    })
    const say = (message: object) => socket.send(JSON.stringify(message))
    if (status === 101) say({ t: 'hello', v: 1, boot: 'boot-1' })
    const until = (kind: string) =>
      vi.waitFor(() => {
        const found = heard.find(({ t }) => t === kind)
        if (!found) throw new Error(`No ${kind} came: ${JSON.stringify(heard)}`)
        return found
      }, waiting)
    return { socket, status, say, until }
  }

  test('an unregistered device is quarantined, and identified by its certificate @long', async () => {
    const { id: authorityId, ...root } = await authority()
    const id = newId()
    const shown = made.issue(root, `/CN=${id}`, { serial: '0ABC01' })
    const first = await socketOf(shown)
    expect(await first.until('welcome')).toMatchObject({ device: id, held: true })
    expect(await deviceOf(id)).toMatchObject({ state: 'quarantined', serviceId: null })
    await world.ask('PUT', `device?id=${id}`, { state: 'accepted' })
    await first.until('bye')

    const second = await socketOf(shown)
    expect(await second.until('welcome')).toMatchObject({ held: false })
    second.say({ t: 'telemetry', boot: 'boot-1', seq: 1, d: { temperature: 21 } })
    await second.until('ack')
    expect(await world.stateOf(id)).toBe('online')
    expect(await state(authorityId)).toMatchObject({ devices: { value: 1 }, refused: null })

    // As openssl shows it.
    const revoked = await world.ask('POST', `${path}/${authorityId}/revoked`, {
      serial: '0a:bc:01',
    })
    expect(revoked).toMatchObject({ status: 201, body: { serial: '0ABC01', deviceId: id } })
    expect(await second.until('bye')).toMatchObject({ code: 'changed' })
    expect((await socketOf(shown)).status).toBe(401)
    expect(world.reasons).toContain('Its certificate is revoked.')
    expect(await state(authorityId)).toMatchObject({
      refused: { serial: '0ABC01', reason: 'revoked' },
    })
    expect(
      await world.ask('POST', `${path}/${authorityId}/revoked`, { serial: 'abc01' }),
    ).toMatchObject({ status: 409, body: { code: 'already_exists' } })
    expect(
      (await world.ask('GET', `${path}/${authorityId}/certificates`)).body.items,
    ).toMatchObject([{ serial: '0ABC01', deviceId: id, revokedAt: expect.any(String) }])
    // The next certificate of the same device is another one.
    const next = await socketOf(made.issue(root, `/CN=${id}`))
    expect(await next.until('welcome')).toMatchObject({ device: id, held: false })
  })

  test('an RSA key proves its authority, and its devices can be accepted at once', async () => {
    const root = made.makeRoot('Factory with RSA', { key: made.makeKey(true) })
    await authority({ root, more: { state: 'accepted' } })
    const id = newId()
    const { until } = await socketOf(made.issue(root, `/CN=${id}`))
    expect(await until('welcome')).toMatchObject({ held: false })
    expect(await deviceOf(id)).toMatchObject({ state: 'online' })
  })

  const refusals: [
    string,
    string | null,
    (id: string) => Promise<{ cert: string; key: string }> | { cert: string; key: string },
  ][] = [
    [
      'Its certificate is not signed by a certificate authority with proven ownership.',
      null,
      (id) => made.issue(made.makeRoot('Nobody'), `/CN=${id}`),
    ],
    [
      'Its certificate is not signed by a certificate authority with proven ownership.',
      null,
      async (id) => made.issue(await authority({ isProved: false }), `/CN=${id}`),
    ],
    [
      // The same name and another key.
      'Its certificate is not signed by a certificate authority with proven ownership.',
      null,
      async (id) => {
        // Only the signature tells whose it is.
        const extensions = ['basicConstraints=critical,CA:TRUE', 'subjectKeyIdentifier=01:02:03:04']
        await authority({ root: made.makeRoot('Twin', { extensions }) })
        return made.issue(made.makeRoot('Twin', { extensions }), `/CN=${id}`)
      },
    ],
    [
      'Its certificate has expired.',
      'expired',
      async (id) =>
        made.issue(await authority(), `/CN=${id}`, {
          from: new Date(Date.now() - 3 * day),
          to: new Date(Date.now() - 60_000),
        }),
    ],
    [
      'Its certificate becomes valid more than a day from now.',
      'notYetValid',
      async (id) =>
        made.issue(await authority(), `/CN=${id}`, { from: new Date(Date.now() + 25 * 3_600_000) }),
    ],
    [
      'Its certificate belongs to an authority, or is not for TLS clients.',
      'purpose',
      async (id) =>
        made.issue(await authority(), `/CN=${id}`, { extensions: 'basicConstraints=CA:TRUE' }),
    ],
    [
      'Its certificate belongs to an authority, or is not for TLS clients.',
      'purpose',
      async (id) =>
        made.issue(await authority(), `/CN=${id}`, { extensions: 'extendedKeyUsage=serverAuth' }),
    ],
    [
      'Its certificate has no single common name that is a device id.',
      'deviceId',
      async (id) => made.issue(await authority(), `/CN=${id} with spaces`),
    ],
    [
      'Its certificate has no single common name that is a device id.',
      'deviceId',
      async (id) => made.issue(await authority(), `/CN=${id}/CN=pump-0`),
    ],
    [
      'Its certificate names a device that is retired.',
      'retired',
      async (id) => {
        await world.device({ id })
        await world.ask('DELETE', `device?id=${id}`)
        return made.issue(await authority(), `/CN=${id}`)
      },
    ],
    [
      'The certificate authority that signed its certificate is disabled.',
      'authorityDisabled',
      async (id) => {
        const found = await authority()
        await world.ask('PUT', `${path}/${found.id}`, { isEnabled: false })
        return made.issue(found, `/CN=${id}`)
      },
    ],
    [
      'Its certificate names a device of another service provider.',
      'otherOwner',
      async (id) => {
        await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
          world.db,
        )
        await world.device({ id, serviceId: id })
        return made.issue(await authority(), `/CN=${id}`)
      },
    ],
    [
      'Its certificate names a device of another product than the authority is for.',
      'otherProduct',
      async (id) => {
        const product = async () =>
          (await world.ask('POST', 'products', { name: `Product ${++count}` })).body.id as string
        await world.device({ id })
        await sql`update maple.device set product_id = ${await product()} where id = ${id}`.execute(
          world.db,
        )
        return made.issue(await authority({ productId: await product() }), `/CN=${id}`)
      },
    ],
    [
      'It is new, and the product of its certificate authority is at its end of life.',
      'productEnded',
      async (id) => {
        const { id: productId } = (await world.ask('POST', 'products', { name: id })).body
        const found = await authority({ productId })
        await world.ask('POST', `products/${productId}/state`, { state: 'endOfLife' })
        return made.issue(found, `/CN=${id}`)
      },
    ],
  ]

  test.each(refusals)('“%s” (%s)', async (sentence, reason, make) => {
    const id = newId()
    const shown = await make(id)
    world.reasons.length = 0
    // A conflict over its id can be settled by people.
    expect((await socketOf(shown)).status).toBe(reason === 'otherOwner' ? 503 : 401)
    expect(world.reasons).toContain(sentence)
    const [newest] = (await world.ask('GET', path)).body.items
    if (reason !== null) expect(newest.refused).toMatchObject({ reason })
  })

  test('factory clocks may be off by a day, and products are assigned', async () => {
    const { id: productId } = (await world.ask('POST', 'products', { name: 'Pumps' })).body
    const id = newId()
    const from = new Date(Date.now() + 23 * 3_600_000)
    const found = await authority({ productId })
    const { until } = await socketOf(made.issue(found, `/CN=${id}`, { from }))
    await until('welcome')
    expect(await deviceOf(id)).toMatchObject({ productId })
  })

  test('connections end when their authority is disabled or deleted, and others stay @long', async () => {
    const [one, two, other] = [await authority(), await authority(), await authority()]
    const links = []
    for (const each of [one, two, other]) {
      const link = await socketOf(made.issue(each, `/CN=${newId()}`))
      await link.until('welcome')
      links.push(link)
    }
    await world.ask('PUT', `${path}/${one.id}`, { isEnabled: false })
    await world.ask('DELETE', `${path}/${two.id}`)
    expect(await links[0]?.until('bye')).toMatchObject({ code: 'changed' })
    expect(await links[1]?.until('bye')).toMatchObject({ code: 'changed' })
    expect(links[2]?.socket.readyState).toBe(WebSocket.OPEN)
  })

  test('a key belongs to the first service provider that proves it', async () => {
    const root = made.makeRoot('Shared')
    const [first, second] = [
      await authority({ root, isProved: false }),
      await authority({ root, isProved: false }),
    ]
    const prove = async ({ id }: { id: string }, by?: { id: string }) => {
      const { challenge } = await state((by ?? { id }).id)
      return world.ask('POST', `${path}/${id}/proof`, {
        signature: made.sign(challenge, root.key),
      })
    }
    // A signature of one challenge is not valid for another.
    expect(await prove(second, first)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'signature' }] },
    })
    expect(await prove(first)).toMatchObject({
      status: 200,
      body: { rights: { prove: 'transition_refused' } },
    })
    expect(await prove(second)).toMatchObject({ status: 409, body: { code: 'already_exists' } })
    expect(
      await world.ask('POST', `${path}/${first.id}/proof`, { signature: 'AAAA' }),
    ).toMatchObject({ status: 409, body: { code: 'transition_refused' } })
  })

  test('a file that is not an authority’s certificate is refused in words', async () => {
    const root = made.makeRoot('Words')
    const add = (certificate: string) =>
      world.ask('POST', path, { name: 'Words', type: 'iot', certificate })
    for (const [text, words] of [
      ['hello', 'must be a certificate in PEM'],
      [readFileSync(root.key, 'utf8'), 'This is a private key.'],
      [readFileSync(made.issue(root, '/CN=x').cert, 'utf8'), 'must contain CA:TRUE'],
      [
        readFileSync(
          made.makeRoot('No signing', {
            extensions: ['basicConstraints=CA:TRUE', 'keyUsage=digitalSignature'],
          }).cert,
          'utf8',
        ),
        'allowed to sign certificates',
      ],
    ] as const)
      expect(await add(text)).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'certificate', message: expect.stringContaining(words) }] },
      })
  })

  test('people of a service provider see and change only their own authorities', async () => {
    const root = made.makeRoot('Ours')
    const of = async (serviceId: string) => {
      await sql`insert into maple.service (id, name, name_key) values (${serviceId}, ${serviceId}, ${serviceId})`.execute(
        world.db,
      )
      const id = randomUUID()
      await sql`
        insert into maple.account (id, roles, service_id)
        values (${id}, '{provider_admin}', ${serviceId})`.execute(world.db)
      return world.server.bearer(['DEVELOPER'], id)
    }
    const [ours, theirs] = [await of('ours'), await of('theirs')]
    const added = await world.ask(
      'POST',
      path,
      { name: 'Ours', type: 'iot', certificate: readFileSync(root.cert, 'utf8') },
      ours,
    )
    const { id, challenge, serviceId } = added.body
    expect(serviceId).toBe('ours')
    const signature = made.sign(challenge, root.key)
    const { body: product } = await world.ask('POST', 'products', { name: 'Ours' }, ours)
    const list = async (as: Record<string, string>, query = '') =>
      (await world.ask('GET', `${path}${query}`, undefined, as)).body.items
    expect(await list(ours, `?productId=${product.id}`)).toMatchObject([{ id }])
    expect(await list(theirs)).toEqual([])
    expect(await list(theirs, `?productId=${product.id}`)).toEqual([])
    for (const [method, rest, payload] of [
      ['POST', '/proof', { signature }],
      ['PUT', '', { isEnabled: false }],
      ['DELETE', '', undefined],
      ['GET', '/certificates', undefined],
      ['POST', '/revoked', { serial: '01' }],
    ] as const)
      expect(await world.ask(method, `${path}/${id}${rest}`, payload, theirs)).toMatchObject({
        status: 404,
      })
    expect(await world.ask('POST', `${path}/${id}/proof`, { signature }, ours)).toMatchObject({
      status: 200,
    })
    // A device without an owner, named by its certificate, stays without one.
    const { id: foreign } = await world.device()
    expect((await socketOf(made.issue(root, `/CN=${foreign}`))).status).toBe(503)
    expect(await deviceOf(foreign)).toMatchObject({ serviceId: null })
    const own = newId()
    const { until } = await socketOf(made.issue(root, `/CN=${own}`))
    await until('welcome')
    expect(await deviceOf(own)).toMatchObject({ serviceId: 'ours', state: 'quarantined' })
    const { rows } = await sql<{ action: string; text: string }>`
      select action, event::text as text from maple.event as event
      where service_id = 'ours' and (subject = ${id} or subject = ${own}) order by event.id`.execute(
      world.db,
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'authority.create',
      'authority.prove',
      'device.certify',
    ])
    expect(JSON.stringify(rows)).not.toContain(challenge)
  })

  async function secureOf(shown?: { cert: string; key: string }): Promise<TLSSocket> {
    const socket = connectSecure({
      host: 'localhost',
      port: world.tlsPort,
      ca: readFileSync(server.cert),
      ...(shown && { cert: readFileSync(shown.cert), key: readFileSync(shown.key) }),
    })
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    return socket
  }

  test('garbage, silence and other requests do no harm', async () => {
    const found = await authority()
    const plain = connectPlain(world.tlsPort, '127.0.0.1')
    sockets.push(plain)
    plain.on('error', () => {})
    plain.write(Buffer.alloc(4096, 0xff))
    await closed(plain)
    const noise = await secureOf()
    noise.write(Buffer.alloc(70_000, 0xff))
    await closed(noise)
    for (const [request, status] of [
      ['GET /api/maple/device HTTP/1.1', '404'],
      ['GET /healthz HTTP/1.1', '404'],
      ['GET /api/maple/device/image/00000000-0000-4000-8000-000000000001 HTTP/1.1', '401'],
    ]) {
      const socket = await secureOf(made.issue(found, `/CN=${newId()}`))
      socket.write(`${request}\r\nhost: localhost\r\nx-forwarded-for: 1.2.3.4\r\n\r\n`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toContain(`HTTP/1.1 ${status}`)
    }
    const { until } = await socketOf(made.issue(found, `/CN=${newId()}`))
    await until('welcome')
  })

  test('without a certificate or a secret nobody is admitted, and a secret is enough', async () => {
    expect((await socketOf(undefined)).status).toBe(401)
    const { secret, id } = await world.device()
    const { until } = await socketOf(undefined, { authorization: `Bearer ${secret}` })
    expect(await until('welcome')).toMatchObject({ device: id })
    const client = await connectAsync(`mqtts://localhost:${world.tlsPort}`, {
      ca: readFileSync(server.cert),
      password: secret,
      username: 'anything',
      reconnectPeriod: 0,
    })
    expect(client.connected).toBe(true)
    await client.endAsync(true)
  })

  test('silent connections, and too many at once, are dropped @long', async () => {
    const small = await gatewayWorld({
      tls: { certificate: server.cert, key: server.key },
      limits: { helloMs: 3000 },
      handshakesPerSecond: 5,
    })
    const all = Array.from({ length: 12 }, () => connectPlain(small.tlsPort, '127.0.0.1'))
    const since = performance.now()
    let early = 0
    await Promise.all(
      all.map(async (socket) => {
        socket.on('error', () => {})
        await closed(socket)
        if (performance.now() - since < 2500) early++
      }),
    )
    expect(early).toBeGreaterThanOrEqual(6)
    expect(early).toBeLessThan(12)
    await small.close()
  })

  test('a renewed server certificate is used, and a broken one is not', async () => {
    const before = (await secureOf()).getPeerCertificate().fingerprint256
    const next = made.makeRoot('localhost', { extensions: ['subjectAltName=DNS:localhost'] })
    copyFileSync(next.key, server.key)
    await wait(300)
    // The key is of another certificate now, which shows nothing.
    expect((await secureOf()).getPeerCertificate().fingerprint256).toBe(before)
    copyFileSync(next.cert, server.cert)
    await vi.waitFor(async () => {
      expect((await secureOf()).getPeerCertificate().fingerprint256).not.toBe(before)
    }, waiting)
  })

  test.each(['websocket', 'mqtt'])(
    'the agent connects by %s, is accepted, reports, and stays out once revoked @long',
    { timeout: 120_000 },
    async (link) => {
      const found = await authority()
      const id = newId()
      const { cert, key } = made.issue(found, `/CN=${id}`, { serial: `77${++count}` })
      const address = `https://localhost:${world.tlsPort}`
      const args = ['--cert', cert, '--key', key, '--ca', server.cert, '--every', '0.2']
      const more = link === 'mqtt' ? ['--mqtt', address.replace('https', 'mqtts')] : []
      const agent = runAgent({ address: `localhost:${world.tlsPort}` }, 'main.ts', [
        ...args,
        ...more,
        '--state',
        join(made.folder, `${id}.json`),
        '--platform',
        address,
      ])
      try {
        await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('quarantined'), waiting)
        await vi.waitFor(
          () => expect(agent.said.text).toContain('People have not accepted'),
          waiting,
        )
        await world.ask('PUT', `device?id=${id}`, { state: 'accepted' })
        await vi.waitFor(async () => {
          const { body } = await world.ask('GET', `device/connection?deviceId=${id}`)
          expect(body.messages.some(({ kind }: { kind: string }) => kind === 'telemetry')).toBe(
            true,
          )
          expect(body.protocol).toBe(link === 'mqtt' ? 'mqtt 5' : 'websocket')
        }, waiting)
        const { items } = (await world.ask('GET', `${path}/${found.id}/certificates`)).body
        await world.ask('POST', `${path}/${found.id}/revoked`, { serial: items[0].serial })
        expect((await agent.ended)[0]).toBe(1)
        expect(agent.said.text).toContain('The platform refuses the certificate of this device.')
        expect(await world.stateOf(id)).not.toBe('online')
      } finally {
        await agent.stop()
      }
    },
  )
})
