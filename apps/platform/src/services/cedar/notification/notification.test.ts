import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Notification } from '@grove/contract/cedar/notification'
import {
  startCatalogue,
  tally,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

const url = '/api/notification'
const text = (title = 'New today', body = 'Three clocks') => ({
  translations: [{ localeCode: 'en-US', title, body }],
})
const compose = (who: Tenant, productId: string, more: object = {}) =>
  who.send('POST', url, { productId, ...text(), ...more })
const device = (who: Tenant, productId: string, more: object = {}) =>
  who.send('POST', `${url}/device`, {
    productId,
    token: `token-${randomUUID()}`,
    platform: 'android',
    localeCode: 'en-US',
    appVersion: '1.2.0',
    ...more,
  })
const inAnHour = (hours = 1) => new Date(Date.now() + hours * 3600_000).toISOString()

describe('a device of a host app', () => {
  it('is registered with an anonymous token once the app is published, before that by its developers @long', async () => {
    const anna = await tenant(server)
    const stranger = await tenant(server)
    const anonymous = await server.bearer([])
    const { productId } = await anna.product('Secret plan')
    const ask = async (id: string) => {
      const answer = await server.app.inject({
        method: 'POST',
        url: `${url}/device`,
        headers: anonymous,
        payload: {
          productId: id,
          token: `token-${randomUUID()}`,
          platform: 'ios',
          localeCode: 'en-US',
          appVersion: '1.0.0',
        },
      })
      return [answer.statusCode, answer.json().detail]
    }
    const unknown = await ask(randomUUID())
    expect(unknown[0]).toBe(404)
    expect(await ask(productId)).toEqual(unknown)
    expect((await device(stranger, productId)).status).toBe(404)
    expect((await device(anna, productId)).status).toBe(200)
    const { productVersionId } = await anna.ready(productId)
    const version = `/api/developer/productVersion/${productVersionId}`
    await anna.send('PUT', version, { enabled: true })
    expect((await ask(productId))[0]).toBe(200)
    await anna.send('PUT', version, { enabled: false })
    expect((await ask(productId))[0]).toBe(200)
  })
})

describe('a notification', () => {
  it('is composed, listed and read, and says that nothing is sent without a transport', async () => {
    const warn = vi.spyOn(console, 'warn')
    const anna = await tenant(server)
    const { productId } = await anna.product('Tides')
    const made = await compose(anna, productId, {
      ...text(' New\n today ', ' One \r\n\r\n two '),
      link: 'https://example.com/news',
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      state: 'scheduled',
      productTranslations: [{ localeCode: 'en-US', title: 'Tides' }],
      translations: [{ localeCode: 'en-US', title: 'New today', body: 'One\n\ntwo' }],
      audience: {},
      link: 'https://example.com/news',
      sent: 0,
      devices: null,
      createdBy: anna.userId,
    })
    const one = `${url}/${made.body.id}`
    await vi.waitFor(async () =>
      expect((await anna.send('GET', one)).body).toMatchObject({
        state: 'not_sent',
        reason: 'no_transport',
        sent: 0,
        rights: { cancel: 'notification_sent' },
      }),
    )
    const { body } = await anna.send('GET', url)
    expect(body).toMatchObject({ total: 1, from: 0, length: 50, items: [{ id: made.body.id }] })
    expect(warn).not.toHaveBeenCalled()
  })

  it('that is scheduled can be cancelled once, and then says why not', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const { body } = await compose(anna, productId, { sendAt: inAnHour() })
    expect(body).toMatchObject({ state: 'scheduled', isScheduled: true, rights: { cancel: null } })
    const cancel = () => anna.send('POST', `${url}/${body.id}/cancel`)
    const answers = await Promise.all([cancel(), cancel()])
    expect(tally(answers)).toEqual({ 200: 1, 409: 1 })
    expect((await cancel()).body.code).toBe('notification_sent')
    const { rows } = await sql<{ action: string }>`
      select action from cedar.event where subject = ${body.id} order by id`.execute(
      server.context.db,
    )
    expect(rows.map(({ action }) => action)).toEqual(['notification.create', 'notification.cancel'])
  })

  it('with one idempotency key exists once, even with many concurrent requests', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const send = (more: object = {}) =>
      compose(anna, productId, { idempotencyKey: 'order-0001', ...more })
    const answers = await Promise.all([send(), send(), send()])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await send(text('Another'))).body.code).toBe('already_exists')
    expect((await anna.send('GET', url)).body.total).toBe(1)
    // Another app may use the same key.
    const other = await anna.product('Other')
    expect((await compose(anna, other.productId, { idempotencyKey: 'order-0001' })).status).toBe(
      201,
    )
  })

  it('is refused if it cannot be sent, naming the field', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const refused = async (more: object) => {
      const { status, body } = await compose(anna, productId, more)
      return [status, body.errors?.[0]?.path]
    }
    // A thousand characters, but 4,000 bytes in addition to the title and the ids.
    expect(await refused(text('A', '😀'.repeat(1000)))).toEqual([400, 'translations.0.body'])
    expect(await refused(text('A', ' \n '))).toEqual([400, 'translations.0.body'])
    expect(await refused(text('A', 'gnp.\u202eexe'))).toEqual([400, 'translations.0.body'])
    expect(await refused({ link: 'http://example.com' })).toEqual([400, 'link'])
    expect(await refused({ link: 'https://user:pass@example.com/' })).toEqual([400, 'link'])
    expect(await refused({ link: 'product' })).toEqual([400, 'link'])
    expect(await refused({ sendAt: inAnHour(-1) })).toEqual([400, 'sendAt'])
    expect(await refused({ sendAt: inAnHour(366 * 24) })).toEqual([400, 'sendAt'])
    expect(await refused({ expiresAt: inAnHour(-1) })).toEqual([400, 'expiresAt'])
    expect(await refused({ expiresAt: inAnHour(29 * 24) })).toEqual([400, 'expiresAt'])
    expect(await refused({ audience: { minAppVersion: '1.10', maxAppVersion: '1.9' } })).toEqual([
      400,
      'audience.maxAppVersion',
    ])
    await anna.send('PUT', `/api/developer/product/${productId}/link`)
    expect((await compose(anna, productId, { link: 'product' })).status).toBe(201)
  })

  it('is invisible to every other developer, whatever they call', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const { productId, providerId } = await anna.product()
    const { body } = await compose(anna, productId, { sendAt: inAnHour() })
    const registered = await device(anna, productId)
    const query = `?productId=${productId}`
    const calls = [
      await boris.send('GET', `${url}/${body.id}`),
      await boris.send('POST', `${url}/${body.id}/cancel`),
      await compose(boris, productId),
      await boris.send('GET', `${url}${query}`),
      await boris.send('GET', `${url}?providerId=${providerId}`),
      await boris.send('GET', `${url}/statistics${query}`),
      await boris.send('GET', `${url}/csv${query}`),
      await boris.send('GET', `${url}/audience${query}`),
      await boris.send('GET', `${url}/device${query}`),
      await boris.send('PUT', `${url}/device/${registered.body.id}`, { isTest: true }),
      await boris.send('POST', `${url}/test`, { productId, ...text() }),
    ]
    expect(calls.map(({ status, body: answer }) => [status, answer.code])).toEqual(
      calls.map(() => [404, 'not_found']),
    )
    expect((await boris.send('GET', url)).body).toMatchObject({ items: [], total: 0 })
    const admin = await tenant(server, ['ADMIN'])
    expect((await admin.send('GET', `${url}/${body.id}`)).status).toBe(200)
    expect((await admin.send('GET', url)).body.total).toBeGreaterThan(1)
  })

  it('counts against the limit of its provider, which an admin can raise', async () => {
    const [anna, admin] = [await tenant(server), await tenant(server, ['ADMIN'])]
    const { productId, providerId } = await anna.product()
    const limit = (notificationsPerDay: number | null) =>
      admin.send('PUT', `/api/admin/provider/${providerId}`, { limits: { notificationsPerDay } })
    expect((await limit(2)).body.limitsInForce.notificationsPerDay).toBe(2)
    const answers = await Promise.all([1, 2, 3, 4].map(() => compose(anna, productId)))
    expect(tally(answers)).toEqual({ 201: 2, 409: 2 })
    const refused = answers.find(({ status }) => status === 409)?.body
    expect(refused.code).toBe('limit_reached')
    expect(refused.detail).toMatch(/2 of 2 notifications for today.*administrator can raise/)
    const { quota } = (await anna.send('GET', `${url}/systemdata`)).body
    expect(quota).toEqual([{ providerId, limit: 2, used: 2, left: 0 }])
    await limit(0)
    expect((await compose(anna, productId)).body.code).toBe('limit_reached')
    await limit(null)
    expect((await compose(anna, productId)).status).toBe(201)
  })
})

describe('the history', () => {
  /** Notifications due at these times, composed by hand. */
  async function withHistory(moments: readonly string[], who: Tenant, productId: string) {
    const ids: string[] = []
    for (const at of moments) {
      const { body } = await compose(who, productId, { sendAt: at })
      expect(body.id).toBeDefined()
      ids.push(body.id)
    }
    return ids
  }
  const idsOf = (answer: { body: { items: Notification[] } }) =>
    answer.body.items.map(({ id }) => id)

  it('answers every offset with the right rows, over hours, products and providers', async () => {
    const [anna, admin] = [await tenant(server), await tenant(server, ['ADMIN'])]
    const [one, two] = [await anna.product('One'), await anna.product('Two')]
    const made = await admin.send('POST', '/api/cedar/provider', {
      name: 'Org',
      ownerId: anna.userId,
    })
    const third = await anna.send('POST', '/api/developer/product', {
      providerId: made.body.id,
      translations: [{ localeCode: 'en-US', title: 'Three' }],
    })
    const start = Math.floor(Date.now() / 3600_000 + 24) * 3600_000
    const minutes = [0, 10, 59, 60, 61, 130, 130, 400, 401, 402, 3000, 3001]
    const at = (minute: number) => new Date(start + minute * 60_000).toISOString()
    const products = [one.productId, two.productId, third.body.productId]
    const all: { id: string; at: string; productId: string }[] = []
    for (const [index, minute] of minutes.entries()) {
      const productId = products[index % 3] ?? ''
      const [id = ''] = await withHistory([at(minute)], anna, productId)
      all.push({ id, at: at(minute), productId })
    }
    const newestFirst = all.toSorted((a, b) =>
      a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1,
    )
    const check = async (query: string, rows: typeof all) => {
      for (let from = 0; from <= rows.length; from += 1) {
        const answer = await anna.send('GET', `${url}?from=${from}&length=3${query}`)
        expect([query, from, answer.body.total]).toEqual([query, from, rows.length])
        expect([query, from, idsOf(answer)]).toEqual([
          query,
          from,
          rows.slice(from, from + 3).map(({ id }) => id),
        ])
      }
    }
    await check('', newestFirst)
    await check(
      `&productId=${one.productId}`,
      newestFirst.filter(({ productId }) => productId === one.productId),
    )
    await check(
      `&providerId=${one.providerId}`,
      newestFirst.filter(({ productId }) => productId !== third.body.productId),
    )
    // Bounds inside hours, on hours, and within one hour.
    for (const [first, last] of [
      [10, 401],
      [60, 3000],
      [59, 61],
      [400, 402],
      [131, 399],
    ] as const) {
      const [fromDate, toDate] = [at(first), at(last)]
      await check(
        `&fromDate=${fromDate}&toDate=${toDate}`,
        newestFirst.filter((row) => row.at >= fromDate && row.at < toDate),
      )
    }
    const csv = await anna.send('GET', `${url}/csv?providerId=${one.providerId}`)
    const lines = String(csv.body).trim().split('\r\n')
    expect(lines).toHaveLength(9)
    expect(lines[1]).toContain('New today')

    // A transfer includes the history, and a deletion removes it.
    const other = await tenant(server)
    await other.send('GET', '/api/provider')
    const org = await admin.send('POST', '/api/cedar/provider', {
      name: 'X',
      ownerId: other.userId,
    })
    await admin.send('POST', '/api/cedar/apps/transfer', {
      user_id: anna.userId,
      provider_id: org.body.id,
    })
    expect((await other.send('GET', url)).body.total).toBe(8)
    expect((await anna.send('GET', url)).body.total).toBe(4)
    expect((await other.send('DELETE', `/api/developer/product/${two.productId}`)).status).toBe(204)
    expect((await other.send('GET', url)).body.total).toBe(4)
  })

  it('takes exactly the six queries of the specification', async () => {
    const anna = await tenant(server)
    const unknown = await anna.send('GET', `${url}?state=sent`)
    expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([400, 'state'])
    expect((await anna.send('GET', `${url}?from=2000000000&length=200`)).body.items).toEqual([])
    expect((await anna.send('GET', `${url}?length=201`)).status).toBe(400)
  })

  it('spreadsheets run no formula of its CSV', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    await compose(anna, productId, { ...text('=HYPERLINK("x")'), sendAt: inAnHour() })
    const { body } = await anna.send('GET', `${url}/csv`)
    expect(body).toContain(`"'=HYPERLINK(""x"")"`)
  })
})

describe('a device', () => {
  it('is registered once by its token, by anyone’s host app, and unregistered', async () => {
    const anna = await tenant(server)
    const phone = await tenant(server, [])
    const { productId } = await anna.product()
    const { productVersionId } = await anna.ready(productId)
    await anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, { enabled: true })
    const token = `token-${randomUUID()}`
    const first = await device(phone, productId, { token })
    expect(first.status).toBe(200)
    const again = await device(phone, productId, { token, appVersion: '1.10', localeCode: 'ru-RU' })
    expect(again.body.id).toBe(first.body.id)
    const list = async () =>
      (await anna.send('GET', `${url}/device?productId=${productId}`)).body.items
    expect(await list()).toMatchObject([
      { id: first.body.id, appVersion: '1.10.0', localeCode: 'ru-RU', isTest: false },
    ])
    expect(JSON.stringify(await list())).not.toContain(token)
    expect((await device(phone, randomUUID())).status).toBe(404)
    const remove = () => phone.send('DELETE', `${url}/device?id=${first.body.id}`)
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204])
    expect(await list()).toEqual([])
  })

  it('is limited by network, whatever tokens it has', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const from = (ip: string) =>
      server.app.inject({
        method: 'DELETE',
        url: `${url}/device?id=${productId}`,
        headers: { authorization: anna.authorization },
        remoteAddress: ip,
      })
    const answers = await Promise.all(
      Array.from({ length: 620 }, (_, n) => from(`2001:db8:0:1::${(n + 1).toString(16)}`)),
    )
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers['retry-after']).toBeDefined()
    expect((await from('2001:db8:0:2::1')).statusCode).toBe(204)
  })

  it('counts towards an audience according to the estimate, comparing versions by number', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const devices = [
      { platform: 'android', appVersion: '1.9' },
      { platform: 'android', appVersion: '1.10' },
      { platform: 'ios', appVersion: '1.10', localeCode: 'ru-RU' },
      { platform: 'web', appVersion: '2' },
    ]
    const made = await Promise.all(devices.map((each) => device(anna, productId, each)))
    const count = async (query: string) =>
      (await anna.send('GET', `${url}/audience?productId=${productId}${query}`)).body.devices
    expect(await count('')).toBe(4)
    expect(await count('&platforms=android,ios')).toBe(3)
    expect(await count('&locales=ru-RU')).toBe(1)
    expect(await count('&minAppVersion=1.10')).toBe(3)
    expect(await count('&minAppVersion=1.10&maxAppVersion=1.10.0&platforms=android')).toBe(1)
    expect(await count('&testDevices=true')).toBe(0)
    const mark = await anna.send('PUT', `${url}/device/${made[2]?.body.id}`, {
      isTest: true,
      name: 'My phone',
    })
    expect(mark.body).toMatchObject({ isTest: true, name: 'My phone' })
    expect(await count('&testDevices=true')).toBe(1)
    const tests = await anna.send('GET', `${url}/device?productId=${productId}&isTest=true`)
    expect(tests.body.items).toHaveLength(1)
    const unavailable = await anna.send('POST', `${url}/test`, { productId, ...text() })
    expect([unavailable.status, unavailable.body.code]).toEqual([503, 'push_unavailable'])
  })
})

it('system data says what can be sent and through what', async () => {
  const anna = await tenant(server)
  const { status, body } = await anna.send('GET', `${url}/systemdata`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    locales: ['en-US', 'ru-RU'],
    limits: { payloadBytes: 4096 },
    transports: [
      { name: 'fcm', isConfigured: false },
      { name: 'webhook', isConfigured: false },
    ],
  })
  const unknown = await anna.send('GET', `${url}/statistics?zone=Mars/Olympus`)
  expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([400, 'zone'])
})
