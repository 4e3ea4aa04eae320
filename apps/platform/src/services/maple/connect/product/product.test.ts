import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { mapleProductSorting } from '@grove/contract/maple/connect/product.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { createImageClient, type ImageClient } from '../binary-image/testing/image-client.ts'
import { signedImage, signingKey } from '../binary-image/testing/signed-image.ts'
import { maple } from '../../index.ts'

let server: TestServer
let admin: ImageClient
let products: ReturnType<typeof resourceClient<MapleProduct>>
let devices: ReturnType<typeof resourceClient<Device>>
beforeAll(async () => {
  server = await startTestServer([maple])
  const headers = await server.bearer(['ADMIN'])
  admin = createImageClient(server, headers)
  products = resourceClient<MapleProduct>(server, '/api/maple/products', headers)
  devices = resourceClient<Device>(server, '/api/maple/device', headers)
})
beforeEach(async () => {
  await sql`
    truncate maple.service, maple.account, maple.product, maple.image_key, maple.device
    cascade`.execute(server.platform.db)
})
afterAll(() => server.close())

async function ofProvider(serviceId: string) {
  await sql`
    insert into maple.service (id, name, name_key) values (${serviceId}, ${serviceId}, ${serviceId})
    on conflict do nothing`.execute(server.platform.db)
  const id = randomUUID()
  await sql`
    insert into maple.account (id, roles, service_id)
    values (${id}, '{provider_admin}', ${serviceId})`.execute(server.platform.db)
  return createImageClient(server, await server.bearer(['DEVELOPER'], id))
}

const move = (id: string, state: string) => admin.send('POST', `products/${id}/state`, { state })
const makeCode = async (productId: string, more: object = {}) =>
  admin.send('POST', 'device/claim_code', { name: 'Batch', type: 'iot', productId, ...more })
const claim = (code: string, id = `d-${randomUUID()}`) =>
  admin.send('POST', 'device/claim', { code, id, secret: randomBytes(32).toString('base64url') })

test('a product is created, changed at its revision, and deleted with its events', async () => {
  const made = await products.create({
    name: '  Door  sensor ',
    model: 'DS-2',
    revisions: ['A', 'B', 'A'],
  })
  expect(made).toMatchObject({
    name: 'Door sensor',
    model: 'DS-2',
    revisions: ['A', 'B'],
    state: 'development',
    imageId: null,
    rights: { production: null, endOfLife: null, claim: null },
  })
  const { body } = await admin.send('PUT', `products/${made.id}`, { model: null })
  expect(body).toMatchObject({ model: null, name: 'Door sensor', revision: 2 })
  const late = await admin.send('PUT', `products/${made.id}`, { name: 'X' }, { 'if-match': '1' })
  expect(late.body).toMatchObject({ code: 'edit_conflict' })
  expect(await admin.send('DELETE', `products/${made.id}`)).toMatchObject({ status: 204 })
  expect((await products.eventsOf(made.id)).map(({ action }) => action)).toEqual([
    'iot_product.create',
    'iot_product.update',
    'iot_product.delete',
  ])
})

test('the list is sorted, filtered and searched page by page', async () => {
  for (const [name, model] of [
    ['Gate', 'G-1'],
    ['door', 'D-1'],
    ['Äther', 'G-2'],
    ['Door 2', null],
    ['Lamp', 'Door lamp'],
  ])
    await products.create({ name, model })
  for (const sort of mapleProductSorting.by) {
    const up = await products.walk({ sort, order: 'asc', limit: '2' })
    expect(up).toHaveLength(5)
    expect(await products.walk({ sort, order: 'desc', limit: '2' })).toEqual(up.toReversed())
  }
  const names = async (query: Record<string, string>) =>
    (await products.list({ ...query, sort: 'name', order: 'asc' })).items.map(({ name }) => name)
  expect(await names({ q: 'door' })).toEqual(['door', 'Door 2', 'Lamp'])
  expect(await names({ q: 'g-' })).toEqual(['Gate', 'Äther'])
  expect(await names({ state: 'production' })).toEqual([])
})

test('devices that use a product’s code belong to it, and are counted and listed by state', async () => {
  const { id } = await products.create({ name: 'Gate' })
  const { body: code } = await makeCode(id, { mostUses: 10, state: 'accepted' })
  expect(code).toMatchObject({ productId: id })
  const claimed = ['d-1', 'd-2', 'd-3']
  for (const each of claimed) expect((await claim(code.code, each)).status).toBe(200)
  await devices.create({ id: 'other', name: 'other', type: 'iot' })
  await devices.send('DELETE', { id: 'd-3' })

  const of = async (query: Record<string, string>) =>
    (await devices.list({ productId: id, order: 'asc', ...query })).ids
  expect(await of({})).toEqual(claimed)
  expect(await devices.walk({ productId: id, limit: '2', order: 'asc' })).toEqual(claimed)
  expect(await of({ state: 'accepted' })).toEqual(['d-1', 'd-2'])
  expect(await of({ state: 'retired,pending' })).toEqual(['d-3'])
  expect(await of({ seen: 'hour' })).toEqual([])
  expect(await of({ seen: 'never', state: 'accepted' })).toEqual(['d-1', 'd-2'])
  const counted = (
    await devices.send('GET', { productId: id, state: 'accepted', count: 'true' })
  ).json()
  expect(counted.count).toEqual({ value: 2, isCapped: false })
  expect(await devices.refusal('GET', { productId: id, sort: 'name' })).toEqual([
    400,
    'invalid_request',
    'sort',
  ])
  const { body } = await admin.send('GET', `products/${id}/devices`)
  const counts = body.states as { state: string; value: number }[]
  expect(Object.fromEntries(counts.map(({ state, value }) => [state, value]))).toMatchObject({
    accepted: 2,
    retired: 1,
    pending: 0,
  })
  expect((await admin.send('DELETE', `products/${id}`)).body).toMatchObject({
    code: 'product_in_use',
  })
  const { body: codes } = await admin.send('GET', `device/claim_code?productId=${id}`)
  expect(codes.items).toMatchObject([{ uses: 3, mostUses: 10 }])
  expect(JSON.stringify(codes)).not.toContain(code.code)
})

test('a registered device gets the product of its code, unless it has one', async () => {
  const [gate, door] = [
    await products.create({ name: 'Gate' }),
    await products.create({ name: 'D' }),
  ]
  const { body: code } = await makeCode(gate.id, { mostUses: 10 })
  await devices.create({ id: 'plain', name: 'plain', type: 'iot' })
  await devices.create({ id: 'known', name: 'known', type: 'iot', productId: door.id })
  await claim(code.code, 'plain')
  await claim(code.code, 'known')
  expect((await devices.list({ productId: gate.id })).ids).toEqual(['plain'])
  expect((await devices.list({ productId: door.id })).ids).toEqual(['known'])
})

test('at its end of life a product accepts no claims, and its devices keep their own', async () => {
  const { id } = await products.create({ name: 'Gate' })
  const { body: code } = await makeCode(id, { mostUses: 10 })
  const secret = randomBytes(32).toString('base64url')
  const first = { code: code.code, id: 'd-1', secret }
  expect((await admin.send('POST', 'device/claim', first)).status).toBe(200)
  expect((await move(id, 'endOfLife')).body).toMatchObject({
    state: 'endOfLife',
    rights: { claim: 'product_ended', production: null },
  })
  expect((await claim(code.code)).body).toMatchObject({ code: 'product_ended' })
  expect((await makeCode(id)).body).toMatchObject({ code: 'product_ended' })
  // The response to the claim was lost: the device asks again.
  expect((await admin.send('POST', 'device/claim', first)).status).toBe(200)
  await move(id, 'production')
  expect((await claim(code.code)).status).toBe(200)
  expect((await move(id, 'development')).status).toBe(400)
})

test('a product in production has a released default image', async () => {
  const key = signingKey('ed25519')
  await admin.addKey(key.pem)
  const image = await admin.uploaded(signedImage({ program: randomBytes(100) }, key))
  const { id } = await products.create({ name: 'Gate' })
  const choose = () => admin.send('PUT', `products/${id}`, { imageId: image.id })
  expect((await choose()).body).toMatchObject({ code: 'binary_image_closed' })
  await admin.move(image.id, 'verified')
  expect(await choose()).toMatchObject({
    status: 200,
    body: { rights: { production: 'binary_image_closed' } },
  })
  expect((await move(id, 'production')).body).toMatchObject({ code: 'binary_image_closed' })
  expect((await admin.send('DELETE', `binary_images/${image.id}`)).body).toMatchObject({
    code: 'binary_image_in_use',
  })
  await admin.move(image.id, 'released')
  expect((await move(id, 'production')).body).toMatchObject({ state: 'production' })
  expect((await admin.send('PUT', `products/${id}`, { imageId: randomUUID() })).body).toMatchObject(
    {
      errors: [{ path: 'imageId' }],
    },
  )
})

test('a provider sees only its own products, and a device that moves leaves its product', async () => {
  const [acme, umbra] = [await ofProvider('acme'), await ofProvider('umbra')]
  const { body: gate } = await acme.send('POST', 'products', { name: 'Gate' })
  expect((await umbra.send('GET', 'products')).body.items).toEqual([])
  for (const [method, path, body] of [
    ['PUT', `products/${gate.id}`, { name: 'Mine' }],
    ['POST', `products/${gate.id}/state`, { state: 'endOfLife' }],
    ['GET', `products/${gate.id}/devices`, undefined],
    ['DELETE', `products/${gate.id}`, undefined],
  ] as const)
    expect(await umbra.send(method, path, body)).toMatchObject({ status: 404 })
  const code = { name: 'Batch', type: 'iot', productId: gate.id }
  for (const [path, body] of [
    ['device/claim_code', code],
    ['device', { name: 'd', type: 'iot', productId: gate.id }],
  ] as const)
    expect((await umbra.send('POST', path, body)).body.errors).toMatchObject([
      { path: 'productId', code: 'exists' },
    ])
  expect((await umbra.send('GET', `device/claim_code?productId=${gate.id}`)).body.items).toEqual([])

  // An administrator creates a code of the provider: its devices belong to the provider.
  const { body: made } = await makeCode(gate.id)
  await claim(made.code, 'd-1')
  expect((await acme.send('GET', `device?productId=${gate.id}`)).body.items).toMatchObject([
    { id: 'd-1', serviceId: 'acme', productId: gate.id },
  ])
  expect((await umbra.send('GET', `device?productId=${gate.id}`)).body.items).toEqual([])
  await admin.send('PUT', 'device?id=d-1', { serviceId: 'umbra' })
  expect((await devices.list({ id: 'd-1' })).items).toMatchObject([
    { serviceId: 'umbra', productId: null },
  ])
})
