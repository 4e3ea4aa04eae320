import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Failure } from '@grove/contract/cedar/failure'
import {
  miniApp,
  packageParts,
  startCatalogue,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'
import { multipart } from '../testing/multipart.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

const failures = async (who: Tenant): Promise<Failure[]> =>
  (await who.send('GET', '/api/developer/failure')).body.items
const upload = '/api/storage/productVersion/miniApp'
const nested = () => miniApp([{ name: 'nested.zip', data: 'PK' }])

test('a developer sees failures until they are fixed, and none of other developers', async () => {
  const anna = await tenant(server)
  const { productId } = await anna.product('Clock')
  const { productVersionId: id } = await anna.version(productId)
  const { body } = await anna.upload(upload, packageParts(id, nested()))
  expect(body.lastRefused).not.toBeNull()
  expect(await failures(anna)).toMatchObject([
    {
      kind: 'package',
      id,
      productId,
      productTitles: [{ localeCode: 'en-US', title: 'Clock' }],
      version: '1.0.0',
      isByKey: false,
    },
  ])

  // Without a transport no notification is sent.
  const composed = await anna.send('POST', '/api/notification', {
    productId,
    translations: [{ localeCode: 'en-US', title: 'New', body: 'Three clocks' }],
  })
  await vi.waitFor(async () => {
    expect((await failures(anna)).map((each) => each.id)).toEqual([composed.body.id, id])
  })
  expect(await failures(await tenant(server))).toEqual([])

  await anna.upload(upload, packageParts(id, miniApp()))
  expect((await failures(anna)).map(({ kind }) => kind)).toEqual(['notification'])
  const customer = await tenant(server, ['CUSTOMER'])
  expect((await customer.send('GET', '/api/developer/failure')).status).toBe(403)
})

test('a refused package sent with a publish key says so', async () => {
  const anna = await tenant(server)
  const { productId, providerId } = await anna.product('Clock')
  const { productVersionId: id } = await anna.version(productId)
  const { body: made } = await anna.send('POST', '/api/developer/publishKey', {
    providerId,
    name: 'Build server',
  })
  const { payload, contentType } = multipart(packageParts(id, nested()))
  await server.app.inject({
    method: 'POST',
    url: upload,
    headers: { authorization: `Bearer ${made.key}`, 'content-type': contentType },
    payload,
  })
  expect(await failures(anna)).toMatchObject([{ kind: 'package', id, isByKey: true }])
})
