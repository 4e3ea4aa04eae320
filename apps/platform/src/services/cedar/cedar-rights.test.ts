import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { catalogueLimits } from './parts/limits.ts'
import {
  packageParts,
  startCatalogue,
  tenant,
  type CatalogueServer,
  type Tenant,
} from './testing/catalogue.ts'

let server: CatalogueServer
let anna: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  anna = await tenant(server)
})
afterAll(() => server.close())

const miniApp = '/api/storage/productVersion/miniApp'
const at = ({ productVersionId }: ProductVersion) =>
  `/api/developer/productVersion/${productVersionId}`

/** The right on a version, and the response of its call. */
async function versionCalls(version: ProductVersion) {
  const { productVersionId } = version
  const { rights } = (await anna.send('GET', at(version))).body as ProductVersion
  const answers = {
    download: await anna.send('GET', `${miniApp}?productVersionId=${productVersionId}`),
    replacePackage: await anna.upload(miniApp, packageParts(productVersionId)),
    enable: await anna.send('PUT', at(version), { enabled: true }),
    delete: await anna.send('DELETE', at(version)),
  }
  return { rights, answers: codesOf(answers) }
}

const codesOf = (answers: Record<string, { status: number; body: { code?: string } }>) =>
  Object.fromEntries(
    Object.entries(answers).map(([name, { status, body }]) => [
      name,
      status < 300 ? null : (body.code ?? status),
    ]),
  )

const productOf = async ({ productId }: Product): Promise<Product> =>
  (await anna.send('GET', `/api/developer/product/${productId}`)).body

test('the rights of a version match the answers of its calls, before and while it is live @long', async () => {
  const { productId } = await anna.product()
  const bare = await anna.version(productId, '1.0.0')
  expect(bare.rights).toEqual({
    enable: 'package_missing',
    delete: null,
    replacePackage: null,
    download: 'package_missing',
  })
  expect((await anna.send('PUT', at(bare), { enabled: true })).body.code).toBe('package_missing')
  const download = await anna.send('GET', `${miniApp}?productVersionId=${bare.productVersionId}`)
  expect(download.body.code).toBe('package_missing')

  const ready = await anna.ready(productId, '1.1.0')
  expect(ready.rights).toEqual({ enable: null, delete: null, replacePackage: null, download: null })
  expect((await anna.send('PUT', at(ready), { enabled: true })).status).toBe(200)
  const { rights, answers } = await versionCalls(ready)
  expect(rights).toEqual({
    enable: null,
    delete: 'version_is_live',
    replacePackage: 'version_is_final',
    download: null,
  })
  expect(answers).toEqual(rights)
})

test('a version without a title in the default locale can be neither enabled nor kept live', async () => {
  const { productId } = await anna.product()
  const version = await anna.ready(productId)
  const russian = { translations: [{ localeCode: 'ru-RU', title: 'Часы' }] }
  const changed = await anna.send('PUT', at(version), russian)
  expect(changed.body.rights.enable).toBe('translation_missing')
  const enabling = await anna.send('PUT', at(version), { enabled: true })
  expect(enabling.body.code).toBe('translation_missing')
  const { translations } = version
  await anna.send('PUT', at(version), { translations, enabled: true })
  expect((await anna.send('PUT', at(version), russian)).body.code).toBe('translation_missing')
  expect((await anna.send('PUT', at(version), { ...russian, enabled: false })).status).toBe(200)
})

test('the rights of a product match the answers of its calls', async () => {
  const product = await anna.product()
  expect(product.rights).toEqual({ delete: null, createVersion: null })
  const version = await anna.ready(product.productId)
  await anna.send('PUT', at(version), { enabled: true })
  await sql`update cedar.product set version_count = ${catalogueLimits.versionsPerProduct}
    where id = ${product.productId}`.execute(server.context.db)
  const { rights } = await productOf(product)
  expect(rights).toEqual({ delete: 'product_is_live', createVersion: 'limit_reached' })
  const answers = codesOf({
    delete: await anna.send('DELETE', `/api/developer/product/${product.productId}`),
    createVersion: await anna.send('POST', '/api/developer/productVersion', {
      productId: product.productId,
      version: '9.0.0',
    }),
  })
  expect(answers).toEqual(rights)
})

test('the audit trail stores products and versions without rights', async () => {
  const product = await anna.product()
  const version = await anna.version(product.productId)
  await anna.send('PUT', `/api/developer/product/${product.productId}/link`)
  await anna.send('DELETE', at(version))
  await anna.send('DELETE', `/api/developer/product/${product.productId}`)
  const { rows } = await sql<{ before: object | null; after: object | null }>`
    select before, after from cedar.event
    where subject in (${product.productId}, ${version.productVersionId})`.execute(server.context.db)
  expect(rows.length).toBeGreaterThan(4)
  expect(JSON.stringify(rows)).not.toContain('"rights"')
})
