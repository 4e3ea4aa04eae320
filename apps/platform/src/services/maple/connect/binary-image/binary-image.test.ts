import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import { binaryImageSorting, keyAlgorithms } from '@grove/contract/maple/connect/binary-image.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { rangeOf } from './device-download.ts'
import { createImageClient, type ImageClient } from './testing/image-client.ts'
import { signedImage, signingKey } from './testing/signed-image.ts'

let server: TestServer
let headers: { authorization: string }
let images: ImageClient
let list: ReturnType<typeof resourceClient<BinaryImage>>
beforeAll(async () => {
  server = await startTestServer([maple])
  headers = await server.bearer(['ADMIN'])
  images = createImageClient(server, headers)
  list = resourceClient<BinaryImage>(server, '/api/maple/binary_images', headers)
})
beforeEach(async () => {
  await sql`
    truncate maple.service, maple.account, maple.product, maple.image_key, maple.device
    cascade`.execute(server.platform.db)
})
afterAll(() => server.close())

async function ofProvider(serviceId: string, roles = ['provider_admin']) {
  await sql`
    insert into maple.service (id, name, name_key) values (${serviceId}, ${serviceId}, ${serviceId})
    on conflict do nothing`.execute(server.platform.db)
  const id = randomUUID()
  await sql`
    insert into maple.account (id, roles, service_id) values (${id}, ${roles}, ${serviceId})`.execute(
    server.platform.db,
  )
  return createImageClient(server, await server.bearer(['DEVELOPER'], id))
}

const program = () => randomBytes(2_000)

test('an uploaded image is described by its contents, and downloaded unchanged', async () => {
  const file = signedImage({ version: [2, 1, 7], program: program(), loadAddress: 0x10000 })
  const { status, body } = await images.upload(file, 'Датчик.signed.bin')
  expect([status, body]).toEqual([201, body])
  expect(body).toMatchObject({
    name: 'Датчик',
    state: 'uploaded',
    version: '2.1.7',
    bytes: file.length,
    signedBy: null,
    mcuboot: { loadAddress: 0x10000, imageSize: 2_000, bytes: file.length },
    rights: { verify: null, release: 'transition_refused', revoke: null },
  })
  const { response } = await images.send('GET', `binary_images/${body.id}/file`)
  expect(Buffer.compare(response.rawPayload, file)).toBe(0)
  expect((await images.upload(file)).body).toMatchObject({ code: 'already_exists' })
  expect((await list.eventsOf(body.id)).map(({ action }) => action)).toEqual([
    'binary_image.upload',
  ])
})

test('an incomplete image file is refused with the byte where it is wrong', async () => {
  const file = signedImage({ program: program() })
  expect(await images.upload(file.subarray(0, -1))).toMatchObject({
    status: 422,
    body: {
      code: 'binary_image_unreadable',
      errors: [{ path: 'file', code: 'cutOff', params: { offset: file.length - 1 } }],
    },
  })
  expect(await images.upload(Buffer.from('PK, no image'))).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'wrongMagic', params: { offset: 0 } }] },
  })
  const { rows } = await sql`select 1 from maple.binary_image`.execute(server.platform.db)
  expect(rows).toEqual([])
})

test.each(keyAlgorithms)('a signature by %s is verified with the added key', async (of) => {
  const key = signingKey(of)
  const image = await images.uploaded(signedImage({ program: program() }, key))
  expect(await images.move(image.id, 'verified')).toMatchObject({
    status: 409,
    body: { code: 'binary_image_refused', errors: [{ code: 'unknownKey' }] },
  })
  const { body } = await images.addKey(key.pem)
  expect(body).toMatchObject({ algorithm: of, keyHash: key.hash.toString('hex') })
  const verified = await images.move(image.id, 'verified')
  expect(verified).toMatchObject({
    status: 200,
    body: { state: 'verified', signedBy: { name: 'Release key', algorithm: of } },
  })
  expect(await images.move(image.id, 'released')).toMatchObject({ body: { state: 'released' } })
  expect(await images.move(image.id, 'verified')).toMatchObject({
    body: { code: 'transition_refused' },
  })
})

test('signatures in the formats of older and newer tools are verified too', async () => {
  const [ecdsa, ed25519] = [signingKey('ecdsa-p256'), signingKey('ed25519')]
  await images.addKey(ecdsa.pem)
  await images.addKey(ed25519.pem)
  const padded = signedImage({ program: program() }, ecdsa, { padTo: 72 })
  const pure = signedImage({ program: program() }, ed25519, { isPure: true })
  for (const file of [padded, pure]) {
    const { id } = await images.uploaded(file)
    expect(await images.move(id, 'verified')).toMatchObject({ body: { state: 'verified' } })
  }
})

test('an image with a wrong hash or signature, or without one, is not verified', async () => {
  const key = signingKey('ecdsa-p256')
  await images.addKey(key.pem)
  const verdictOn = async (file: Buffer) => {
    const { id } = await images.uploaded(file)
    const { body } = await images.move(id, 'verified')
    return body.errors?.[0]?.code
  }
  const damaged = signedImage({ program: program() }, key)
  damaged[100] = (damaged[100] ?? 0) ^ 1
  expect(await verdictOn(damaged)).toBe('wrongHash')
  expect(await verdictOn(signedImage({ program: program() }))).toBe('unsigned')
  // Signed by another key that names ours.
  const forged = { ...signingKey('ecdsa-p256'), hash: key.hash }
  expect(await verdictOn(signedImage({ program: program() }, forged))).toBe('wrongSignature')
  // The type of the signature decides, not the key that it names.
  const other = { ...signingKey('ed25519'), hash: key.hash }
  expect(await verdictOn(signedImage({ program: program() }, other))).toBe('unknownKey')
})

test('only public keys of the supported kinds are accepted, each once @long', async () => {
  const key = signingKey('ecdsa-p256')
  const secret = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  expect((await images.addKey(secret)).body.errors).toMatchObject([{ code: 'privateKey' }])
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
  const large = generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey
  for (const each of [curve, large]) {
    const pem = each.export({ type: 'spki', format: 'pem' }).toString()
    expect((await images.addKey(pem)).body.errors).toMatchObject([{ code: 'publicKey' }])
  }
  expect((await images.addKey('not a key')).body.errors).toMatchObject([{ code: 'publicKey' }])
  const { body } = await images.addKey(key.pem)
  expect(await images.addKey(key.pem)).toMatchObject({ status: 409 })
  expect((await images.send('GET', 'binary_images/keys')).body.items).toHaveLength(1)
  expect(await images.send('DELETE', `binary_images/keys?id=${body.id}`)).toMatchObject({
    status: 204,
  })
  expect((await images.send('GET', 'binary_images/keys')).body.items).toEqual([])
})

test('the list is sorted, filtered and searched page by page', async () => {
  for (const name of ['Beta', 'alpha', 'Ähre', 'beta 2', 'Gamma']) {
    const { id } = await images.uploaded(signedImage({ program: program() }))
    await images.send('PUT', `binary_images/${id}`, { name })
  }
  for (const sort of binaryImageSorting.by) {
    const up = await list.walk({ sort, order: 'asc', limit: '2' })
    expect(up).toHaveLength(5)
    expect(await list.walk({ sort, order: 'desc', limit: '2' })).toEqual(up.toReversed())
  }
  expect((await list.list({ q: 'beta' })).items).toHaveLength(2)
  expect((await list.list({ state: 'released' })).items).toEqual([])
})

test('a provider sees and changes only its own images, and verifies with its own keys', async () => {
  const [acme, umbra] = [await ofProvider('acme'), await ofProvider('umbra')]
  const key = signingKey('ed25519')
  const image = await acme.uploaded(signedImage({ program: program() }, key))
  await umbra.addKey(key.pem)
  expect((await acme.move(image.id, 'verified')).body.errors).toMatchObject([
    { code: 'unknownKey' },
  ])
  for (const [method, path, body] of [
    ['PUT', `binary_images/${image.id}`, { name: 'Mine' }],
    ['POST', `binary_images/${image.id}/state`, { state: 'revoked' }],
    ['GET', `binary_images/${image.id}/file`, undefined],
    ['DELETE', `binary_images/${image.id}`, undefined],
  ] as const)
    expect(await umbra.send(method, path, body)).toMatchObject({ status: 404 })
  expect((await umbra.send('GET', 'binary_images')).body.items).toEqual([])
  const viewer = await ofProvider('acme', ['viewer'])
  expect(await viewer.send('GET', 'binary_images')).toMatchObject({ status: 403 })
  const operator = await ofProvider('acme', ['operator'])
  expect(await operator.send('GET', 'binary_images')).toMatchObject({ status: 200 })
  expect(await operator.move(image.id, 'revoked')).toMatchObject({ status: 403 })
})

/** A device with a secret. */
async function device(more: object = {}) {
  const id = `d-${randomUUID()}`
  const body = { id, name: id, type: 'iot', state: 'accepted', ...more }
  expect((await images.send('POST', 'device', body)).status).toBe(201)
  const { body: made } = await images.send('POST', 'device/credential', { deviceId: id })
  return { id, secret: made.secret as string }
}

const download = (id: string, secret: string, more: Record<string, string> = {}) =>
  server.app.inject({
    url: `/api/maple/device/image/${id}`,
    headers: { authorization: `Bearer ${secret}`, ...more },
  })

test('a device downloads a released image with its own secret, whole or in ranges', async () => {
  const key = signingKey('ed25519')
  await images.addKey(key.pem)
  // Several chunks of the storage.
  const file = signedImage({ program: randomBytes(200_000) }, key)
  const { id, sha256 } = await images.uploaded(file)
  const { secret } = await device()
  for (const state of ['verified', 'released']) {
    expect((await download(id, secret)).json()).toMatchObject({ code: 'binary_image_closed' })
    await images.move(id, state)
  }
  const whole = await download(id, secret)
  expect(whole.statusCode).toBe(200)
  expect(whole.headers).toMatchObject({ etag: `"${sha256}"`, 'accept-ranges': 'bytes' })
  expect(Buffer.compare(whole.rawPayload, file)).toBe(0)

  const half = 130_000
  const rest = await download(id, secret, { range: `bytes=${half}-`, 'if-range': `"${sha256}"` })
  expect(rest.statusCode).toBe(206)
  expect(rest.headers['content-range']).toBe(`bytes ${half}-${file.length - 1}/${file.length}`)
  expect(Buffer.compare(rest.rawPayload, file.subarray(half))).toBe(0)
  const middle = await download(id, secret, { range: 'bytes=70000-140000' })
  expect(Buffer.compare(middle.rawPayload, file.subarray(70_000, 140_001))).toBe(0)
  const other = await download(id, secret, { range: 'bytes=1-', 'if-range': '"other"' })
  expect([other.statusCode, other.rawPayload.length]).toEqual([200, file.length])
  expect((await download(id, secret, { range: `bytes=${file.length}-` })).statusCode).toBe(416)
  expect((await download(id, secret, { 'if-none-match': `"${sha256}"` })).statusCode).toBe(304)

  await images.move(id, 'revoked')
  expect((await download(id, secret)).json()).toMatchObject({ code: 'binary_image_closed' })
})

test('nobody else can download: without a secret, a held device, or one of another provider', async () => {
  const acme = await ofProvider('acme')
  const key = signingKey('ed25519')
  await acme.addKey(key.pem)
  const { id } = await acme.uploaded(signedImage({ program: program() }, key))
  await acme.move(id, 'verified')
  await acme.move(id, 'released')
  const own = await device({ serviceId: 'acme' })
  expect((await download(id, own.secret)).statusCode).toBe(200)
  expect((await download(id, 'x'.repeat(43))).statusCode).toBe(401)
  expect((await server.app.inject({ url: `/api/maple/device/image/${id}` })).statusCode).toBe(401)
  const stranger = await device()
  expect((await download(id, stranger.secret)).statusCode).toBe(404)
  const { body: product } = await acme.send('POST', 'products', { name: 'Gate' })
  await acme.send('PUT', `binary_images/${id}`, { productId: product.id })
  expect((await download(id, own.secret)).statusCode).toBe(404)
  await images.send('PUT', `device?id=${own.id}`, { productId: product.id })
  expect((await download(id, own.secret)).statusCode).toBe(200)
  await images.send('PUT', `device?id=${own.id}`, { state: 'quarantined' })
  expect((await download(id, own.secret)).statusCode).toBe(401)
})

test('ranges are those of RFC 9110', () => {
  expect(rangeOf(undefined, 10)).toBeUndefined()
  expect(rangeOf('bytes=0-3', 10)).toEqual({ from: 0, to: 4 })
  expect(rangeOf('bytes=4-', 10)).toEqual({ from: 4, to: 10 })
  expect(rangeOf('bytes=-3', 10)).toEqual({ from: 7, to: 10 })
  expect(rangeOf('bytes=-30', 10)).toEqual({ from: 0, to: 10 })
  expect(rangeOf('bytes=5-99', 10)).toEqual({ from: 5, to: 10 })
  expect(rangeOf('bytes=10-', 10)).toBe('none')
  expect(rangeOf('bytes=-0', 10)).toBe('none')
  for (const odd of ['bytes=3-1', 'bytes=0-1,3-4', 'items=0-1', 'bytes=-', 'bytes=a-b'])
    expect(rangeOf(odd, 10)).toBeUndefined()
})
